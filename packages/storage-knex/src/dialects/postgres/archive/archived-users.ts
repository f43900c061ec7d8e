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

type LinkRow = Omit<RecordOf<"identityLinks">, "section" | "userId"> & { readonly userId: number };

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
