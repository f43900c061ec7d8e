import { objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, smallRow, timeOf } from "./archived-table.ts";

type AccountRow = Omit<RecordOf<"accounts">, "section" | "userId"> & { readonly userId: number };

export function archivedAccounts({ accounts }: Tables): ArchivedTable<"accounts"> {
  const members = {
    userId: "user_id",
    loginName: "login_name",
    confusableKey: "confusable_key",
    secret: "secret",
    secretVersion: "secret_version",
    administrator: "administrator",
    disabled: "disabled",
    email: "email",
  };
  return {
    rows: accounts,
    key: { column: "user_id", type: "bigint" },
    size: smallRow,
    line: jsonLine(members),
    recordOf: (line) => {
      const { userId, ...account } = JSON.parse(line) as AccountRow;
      return { section: "accounts", userId: objectIdOf(userId), ...account };
    },
    insert: `insert into ${accounts} (${Object.values(members).join(", ")})
      select ${Object.keys(members)
        .map((name) => `"${name}"`)
        .join(", ")} from jsonb_to_recordset($1::jsonb) as l ("userId" bigint, "loginName" text,
        "confusableKey" text, secret text, "secretVersion" integer, administrator boolean, disabled boolean, email text)`,
    rowsOf: (record) => JSON.stringify({ ...record, userId: objectNumber(record.userId) }),
  };
}

type CustomAccountRow = Omit<RecordOf<"customAccounts">, "section" | "userId"> & { readonly userId: number };

export function archivedCustomAccounts({ customAccounts }: Tables): ArchivedTable<"customAccounts"> {
  const members = {
    id: "id",
    loginName: "login_name",
    userId: "user_id",
    email: "email",
    secret: "secret",
    secretVersion: "secret_version",
    disabled: "disabled",
    confusableKey: "confusable_key",
  };
  return {
    rows: customAccounts,
    key: { column: "login_name", type: "text" },
    size: smallRow,
    line: jsonLine(members),
    recordOf: (line) => {
      const { userId, ...account } = JSON.parse(line) as CustomAccountRow;
      return { section: "customAccounts", userId: objectIdOf(userId), ...account };
    },
    insert: `insert into ${customAccounts} (${Object.values(members).join(", ")})
      select ${Object.keys(members)
        .map((name) => `"${name}"`)
        .join(", ")} from jsonb_to_recordset($1::jsonb) as l (id uuid, "loginName" text,
        "userId" bigint, email text, secret text, "secretVersion" integer, disabled boolean, "confusableKey" text)`,
    rowsOf: (record) => JSON.stringify({ ...record, userId: objectNumber(record.userId) }),
  };
}

type ProviderRow = Omit<RecordOf<"identityProviders">, "section" | "defaultUserId"> & {
  readonly defaultUserId: number | null;
};

type LinkRow = Omit<RecordOf<"identityLinks">, "section" | "userId"> & { readonly userId: number };

export function archivedProviders({ identityProviders }: Tables): ArchivedTable<"identityProviders"> {
  const members = {
    type: "type",
    name: "name",
    sealedData: "sealed_data",
    defaultUserId: "default_user_id",
    appNames: "app_names",
  };
  return {
    rows: identityProviders,
    key: { column: "type", type: "text" },
    size: smallRow,
    line: jsonLine(members),
    recordOf: (line) => {
      const { defaultUserId, ...entry } = JSON.parse(line) as ProviderRow;
      return {
        section: "identityProviders",
        ...entry,
        defaultUserId: defaultUserId === null ? null : objectIdOf(defaultUserId),
      };
    },
    insert: `insert into ${identityProviders} (type, name, sealed_data, default_user_id, app_names)
      select type, name, "sealedData", "defaultUserId", "appNames"
      from jsonb_to_recordset($1::jsonb) as l (type text, name text, "sealedData" text, "defaultUserId" bigint, "appNames" jsonb)`,
    rowsOf: ({ defaultUserId, ...entry }) =>
      JSON.stringify({ ...entry, defaultUserId: defaultUserId === null ? null : objectNumber(defaultUserId) }),
  };
}

export function archivedIdentityLinks({ identityLinks }: Tables): ArchivedTable<"identityLinks"> {
  const columns = "provider, issuer, subject, user_id, shared, email, display_name, linked_at";
  const members = {
    id: "id",
    provider: "provider",
    issuer: "issuer",
    subject: "subject",
    userId: "user_id",
    shared: "shared",
    email: "email",
    displayName: "display_name",
    linkedAt: milliseconds("linked_at"),
  };
  return {
    rows: `(select id::text collate "C" as id, ${columns} from ${identityLinks})`,
    key: { column: "id", type: "text", isExpression: true },
    size: smallRow,
    line: jsonLine(members),
    recordOf: (line) => {
      const { userId, ...link } = JSON.parse(line) as LinkRow;
      return { section: "identityLinks", userId: objectIdOf(userId), ...link };
    },
    insert: `insert into ${identityLinks} (id, ${columns})
      select id, provider, issuer, subject, "userId", shared, email, "displayName", ${timeOf('"linkedAt"')}
      from jsonb_to_recordset($1::jsonb) as l (id uuid, provider text, issuer text, subject text, "userId" bigint, shared boolean, email text,
        "displayName" text, "linkedAt" float8)`,
    rowsOf: (record) => JSON.stringify({ ...record, userId: objectNumber(record.userId) }),
  };
}

export function archivedPasswordHistory({ passwordHistory }: Tables): ArchivedTable<"passwordHistory"> {
  return {
    rows: `(select subject, json_agg(secret order by position) as secrets, sum(octet_length(secret)) as bytes from ${passwordHistory} group by subject)`,
    key: { column: "subject", type: "text" },
    size: "(100 + bytes)",
    line: jsonLine({ subject: "subject", secrets: "secrets" }),
    recordOf: (line) => ({
      section: "passwordHistory",
      ...(JSON.parse(line) as Omit<RecordOf<"passwordHistory">, "section">),
    }),
    insert: `insert into ${passwordHistory} (subject, secret)
      select history ->> 'subject', secret
      from jsonb_array_elements($1::jsonb) with ordinality as list (history, place),
        jsonb_array_elements_text(history -> 'secrets') with ordinality as former (secret, turn)
      order by place, turn`,
    rowsOf: (record) => JSON.stringify(record),
  };
}

export function archivedSecondFactors({ secondFactors }: Tables): ArchivedTable<"secondFactors"> {
  const members = {
    subject: "subject",
    appName: "app_name",
    sealedSecret: "sealed_secret",
    confirmed: "confirmed",
    lastStep: "last_step",
    recoveryCodes: "recovery_codes",
  };
  return {
    // A key of two columns in one, in the same order: subjects hold no control character.
    rows: `(select *, subject || E'\\x01' || app_name as place from ${secondFactors})`,
    key: { column: "place", type: "text", isExpression: true },
    size: "(200 + octet_length(sealed_secret) + octet_length(recovery_codes::text))",
    line: jsonLine(members),
    recordOf: (line) => ({
      section: "secondFactors",
      ...(JSON.parse(line) as Omit<RecordOf<"secondFactors">, "section">),
    }),
    insert: `insert into ${secondFactors} (${Object.values(members).join(", ")})
      select ${Object.keys(members)
        .map((name) => `"${name}"`)
        .join(", ")} from jsonb_to_recordset($1::jsonb) as l (subject text, "appName" text,
        "sealedSecret" text, confirmed boolean, "lastStep" bigint, "recoveryCodes" jsonb)`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
