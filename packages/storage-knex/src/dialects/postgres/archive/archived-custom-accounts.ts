import { objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, smallRow } from "./archived-table.ts";

type Row = Omit<RecordOf<"customAccounts">, "section" | "userId"> & { readonly userId: number };

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
      const { userId, ...account } = JSON.parse(line) as Row;
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
