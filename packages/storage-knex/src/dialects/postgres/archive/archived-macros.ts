import type { RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, timeOf } from "./archived-table.ts";

export function archivedMacros({ macroVersions }: Tables): ArchivedTable<"macros"> {
  const members = {
    name: "name",
    version: "version",
    text: "text",
    language: "language",
    changedAt: milliseconds("changed_at"),
    changedBy: "changed_by",
  };
  return {
    rows: macroVersions,
    key: { column: "position", type: "bigint" },
    size: "(100 + coalesce(octet_length(text), 0))",
    line: jsonLine(members),
    recordOf: (line) => ({ section: "macros", ...(JSON.parse(line) as Omit<RecordOf<"macros">, "section">) }),
    insert: `insert into ${macroVersions} (name, version, text, language, changed_at, changed_by)
      select macro ->> 'name', (macro ->> 'version')::integer, macro ->> 'text', macro ->> 'language',
        ${timeOf("(macro ->> 'changedAt')::float8")}, macro ->> 'changedBy'
      from jsonb_array_elements($1::jsonb) with ordinality as list (macro, place) order by place`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
