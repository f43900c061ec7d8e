import { acceptStorable, type RecordOf } from "@sallyport/core";
import { epochMilliseconds } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeValue } from "./archived-table.ts";

export function archivedMacros({ macroVersions }: Tables): ArchivedTable<"macros"> {
  return {
    select: `select name, version, text, language, ${epochMilliseconds("changed_at")} as changed, changed_by from ${macroVersions} order by position`,
    recordOf: (row) => ({
      section: "macros",
      name: row["name"] as string,
      version: Number(row["version"]),
      text: row["text"] as string | null,
      language: row["language"] as RecordOf<"macros">["language"],
      changedAt: Number(row["changed"]),
      changedBy: row["changed_by"] as string,
    }),
    table: macroVersions,
    columns: ["name", "version", "text", "language", "changed_at", "changed_by"],
    rowsOf: ({ name, version, text, language, changedAt, changedBy }) => {
      acceptStorable([name, text, changedBy]);
      return [[name, version, text, language, timeValue(changedAt), changedBy]];
    },
  };
}
