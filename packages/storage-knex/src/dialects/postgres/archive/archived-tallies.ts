import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, smallRow } from "./archived-table.ts";
import { eventColumns, eventMembers, eventOfLine, eventRow, eventRowOf, eventValues } from "./archived-audit.ts";

/** What several connections have counted is one record, and then one row. */
export function archivedTallies({ auditTallies }: Tables): ArchivedTable<"tallies"> {
  const details = "type, request_id, outcome, app_key_id, user_id, address, app_names, class_name, macro_name, provider_name";
  return {
    rows: `(select distinct on (key) key, ${details}, max(at) over same as at, min(since) over same as since, sum(attempts) over same as attempts
      from ${auditTallies} t window same as (partition by key) order by key, t.since)`,
    key: { column: "key", type: "text" },
    size: smallRow,
    line: jsonLine({ key: "key", ...eventMembers }),
    recordOf: (line) => ({ section: "tallies", ...eventOfLine<{ key: string }>(line) }),
    insert: `insert into ${auditTallies} (key, shard, ${eventColumns})
      select key, 0, ${eventValues} from jsonb_to_recordset($1::jsonb) as l (key text, ${eventRow})`,
    rowsOf: eventRowOf,
  };
}
