import type { RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine } from "./archived-table.ts";

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
