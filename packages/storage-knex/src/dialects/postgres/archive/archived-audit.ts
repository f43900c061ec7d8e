import { objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, smallRow, timeOf } from "./archived-table.ts";

/** What events and tallies share: expressions by the members of a record. */
const eventMembers = {
  at: milliseconds("at"),
  since: milliseconds("coalesce(since, at)"),
  attempts: "attempts",
  type: "type",
  requestId: "request_id",
  outcome: "outcome",
  appKeyId: "app_key_id",
  userId: "user_id",
  address: "address",
  appNames: "app_names",
  className: "class_name",
  macroName: "macro_name",
  providerName: "provider_name",
};

const eventColumns =
  "at, since, attempts, type, request_id, outcome, app_key_id, user_id, address, app_names, class_name, macro_name, provider_name";

/** The values of these columns, of a row of `eventRow`. */
const eventValues = `${timeOf("at")}, ${timeOf("since")}, attempts, type, "requestId", outcome, "appKeyId", "userId", address, "appNames", "className", "macroName", "providerName"`;

const eventRow =
  'at float8, since float8, attempts bigint, type text, "requestId" text, outcome integer, "appKeyId" text, "userId" bigint, address text, "appNames" jsonb, "className" text, "macroName" text, "providerName" text';

type Event = Pick<RecordOf<"audit" | "tallies">, keyof typeof eventMembers>;

/** What a line of these members says. */
function eventOfLine<More extends object>(line: string): Event & More {
  const event = JSON.parse(line) as Omit<Event, "userId"> & More & { readonly userId: number | null };
  return { ...event, userId: event.userId === null ? null : objectIdOf(event.userId) };
}

function eventRowOf(event: Event): string {
  return JSON.stringify({ ...event, userId: event.userId === null ? null : objectNumber(event.userId) });
}

export function archivedAudit({ audit }: Tables): ArchivedTable<"audit"> {
  return {
    rows: audit,
    key: { column: "sequence", type: "bigint" },
    size: smallRow,
    line: jsonLine({ sequence: "sequence", ...eventMembers }),
    recordOf: (line) => ({ section: "audit", ...eventOfLine<{ sequence: number }>(line) }),
    insert: `insert into ${audit} (sequence, ${eventColumns}) overriding system value
      select sequence, ${eventValues} from jsonb_to_recordset($1::jsonb) as l (sequence bigint, ${eventRow})`,
    rowsOf: eventRowOf,
  };
}

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
