import { objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, smallRow } from "./archived-table.ts";

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
