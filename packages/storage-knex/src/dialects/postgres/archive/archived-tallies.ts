import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, smallRow } from "./archived-table.ts";
import { eventColumns, eventMembers, eventOfLine, eventRow, eventRowOf, eventValues } from "./archived-audit.ts";

/** What several connections have counted is one record, and then one row. */
export function archivedTallies({ auditTallies }: Tables): ArchivedTable<"tallies"> {
  const details =
    "type, request_id, outcome, app_key_id, user_id, address, app_names, class_name, macro_name, provider_name";
  return {
    // To take the first of each key from all of them in order would sort them again for every few.
    rows: `(select t.key, ${details}, same.at, t.since, same.attempts
      from ${auditTallies} t, lateral (select max(at) as at, sum(attempts) as attempts from ${auditTallies} o where o.key = t.key) same
      where t.shard = (select shard from ${auditTallies} o where o.key = t.key order by since, shard limit 1))`,
    key: { column: "key", type: "text" },
    size: smallRow,
    line: jsonLine({ key: "key", ...eventMembers }),
    recordOf: (line) => ({ section: "tallies", ...eventOfLine<{ key: string }>(line) }),
    insert: `insert into ${auditTallies} (key, shard, ${eventColumns})
      select key, 0, ${eventValues} from jsonb_to_recordset($1::jsonb) as l (key text, ${eventRow})`,
    rowsOf: eventRowOf,
  };
}
