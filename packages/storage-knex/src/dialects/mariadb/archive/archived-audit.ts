import { acceptStorable, objectIdOf, objectNumber, type RecordOf } from "@sallyport/core";
import type { SqlValue } from "../../../sql-runner.ts";
import type { Row } from "../row-values.ts";
import { epochMilliseconds } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, timeValue } from "./archived-table.ts";

/** What events and tallies share. */
type Event = Omit<RecordOf<"audit">, "section" | "sequence">;

const eventColumns = [
  "at",
  "since",
  "attempts",
  "type",
  "request_id",
  "outcome",
  "app_key_id",
  "user_id",
  "address",
  "app_names",
  "class_name",
  "macro_name",
  "provider_name",
];

const eventSelection = `${epochMilliseconds("at")} as at, ${epochMilliseconds("coalesce(since, at)")} as since, ${eventColumns.slice(2).join(", ")}`;

function eventOf(row: Row): Event {
  return {
    at: Number(row["at"]),
    since: Number(row["since"]),
    attempts: Number(row["attempts"]),
    type: row["type"] as Event["type"],
    requestId: row["request_id"] as string,
    outcome: row["outcome"] as Event["outcome"],
    appKeyId: row["app_key_id"] as string,
    userId: row["user_id"] === null ? null : objectIdOf(Number(row["user_id"])),
    address: row["address"] as string,
    appNames: row["app_names"] as string[],
    className: row["class_name"] as string | null,
    macroName: row["macro_name"] as string | null,
    providerName: row["provider_name"] as Event["providerName"],
  };
}

function eventValues({
  at,
  since,
  attempts,
  type,
  requestId,
  outcome,
  appKeyId,
  userId,
  address,
  appNames,
  className,
  macroName,
  providerName,
}: Event): SqlValue[] {
  acceptStorable([requestId, appKeyId, address, appNames, className, macroName, providerName]);
  const user = userId === null ? null : objectNumber(userId);
  return [
    timeValue(at),
    timeValue(since),
    attempts,
    type,
    requestId,
    outcome,
    appKeyId,
    user,
    address,
    JSON.stringify(appNames),
    className,
    macroName,
    providerName,
  ];
}

export function archivedAudit({ audit }: Tables): ArchivedTable<"audit"> {
  return {
    select: `select sequence, ${eventSelection} from ${audit} order by sequence`,
    recordOf: (row) => ({ section: "audit", sequence: Number(row["sequence"]), ...eventOf(row) }),
    table: audit,
    columns: ["sequence", ...eventColumns],
    rowsOf: ({ sequence, ...event }) => [[sequence, ...eventValues(event)]],
  };
}

export function archivedTallies({ auditTallies }: Tables): ArchivedTable<"tallies"> {
  return {
    select: `select \`key\` as tally, ${eventSelection} from ${auditTallies} order by \`key\``,
    recordOf: (row) => ({ section: "tallies", key: row["tally"] as string, ...eventOf(row) }),
    table: auditTallies,
    columns: ["`key`", ...eventColumns],
    rowsOf: ({ key, ...event }) => {
      acceptStorable(key);
      return [[key, ...eventValues(event)]];
    },
  };
}
