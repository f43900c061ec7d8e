import type { RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, smallRow } from "./archived-table.ts";

export function archivedApplications({ applications }: Tables): ArchivedTable<"applications"> {
  return {
    rows: applications,
    key: { column: "name", type: "text" },
    size: smallRow,
    line: jsonLine({ name: "name", seats: "seats", secondFactor: "second_factor" }),
    recordOf: (line) => ({
      section: "applications",
      ...(JSON.parse(line) as Omit<RecordOf<"applications">, "section">),
    }),
    insert: `insert into ${applications} (name, seats, second_factor) select name, seats, "secondFactor"
      from jsonb_to_recordset($1::jsonb) as l (name text, seats integer, "secondFactor" text)`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
