import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";

export interface ChangeStatements {
  readonly watermark: Statement;
  /** 1 and 2 the stamp and object number to begin behind, 3 highest stamp, 4 limit. */
  readonly read: Statement;
}

export interface ChangeRow {
  readonly stamp: number;
  readonly oid: number;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly kind: "stored" | "recycled" | "deleted";
}

export function changeStatements({ departures, objects, objectSeries }: Tables): ChangeStatements {
  return {
    watermark: statement("change_watermark", `select stamp as watermark from ${objectSeries}`),
    read: statement(
      "change_read",
      `${heads(objects, "'stored'")} union all ${heads(departures, "case when attributes is null then 'deleted' else 'recycled' end")}
      order by stamp, oid limit $4`,
    ),
  };
}

/** The first changes that one of the tables can tell of, read from its index. */
function heads(table: string, kind: string): string {
  return `(select stamp, oid, uuid, class, version, ${kind} as kind from ${table}
    where (stamp > $1 or (stamp = $1 and oid > $2)) and stamp <= $3
    order by stamp, oid limit $4)`;
}
