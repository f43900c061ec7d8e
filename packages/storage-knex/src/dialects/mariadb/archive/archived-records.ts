import { acceptStorable, type RecordOf } from "@sallyport/core";
import { epochMilliseconds } from "../statements/storage-time.ts";
import { never } from "../statements/record-statements.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeValue } from "./archived-table.ts";

/** The time of `never`. */
const end = "9999-12-31 23:59:59";

/** The version of a record until all are filled in. */
export const unnumbered = 0;

export function archivedRecords({ records }: Tables): ArchivedTable<"records"> {
  return {
    select: `select kind, id, owner, value, ${epochMilliseconds("created_at")} as created from ${records}
      where expires_at = ${never} order by kind, id`,
    recordOf: (row) => ({
      section: "records",
      kind: row["kind"] as string,
      id: row["id"] as string,
      owner: row["owner"] as string | null,
      value: row["value"] as RecordOf<"records">["value"],
      createdAt: Number(row["created"]),
    }),
    table: records,
    columns: ["kind", "id", "owner", "value", "created_at", "expires_at", "version", "born"],
    rowsOf: ({ kind, id, owner, value, createdAt }) => {
      acceptStorable([kind, id, owner, value]);
      return [[kind, id, owner, JSON.stringify(value), timeValue(createdAt), end, unnumbered, unnumbered]];
    },
  };
}
