import type { Application } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, smallRow } from "./archived-table.ts";

export function archivedApplications({ applications }: Tables): ArchivedTable<"applications"> {
  return {
    rows: applications,
    key: { column: "name", type: "text" },
    size: smallRow,
    line: jsonLine({ name: "name", seats: "seats" }),
    recordOf: (line) => ({ section: "applications", ...(JSON.parse(line) as Application) }),
    insert: `insert into ${applications} (name, seats) select name, seats from jsonb_to_recordset($1::jsonb) as l (name text, seats integer)`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
