import { objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, smallRow, timeOf } from "./archived-table.ts";

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
