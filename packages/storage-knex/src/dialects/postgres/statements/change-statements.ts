import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { highestStamp, lowestOpenStamp } from "./stamps.ts";

export interface ChangeStatements {
  readonly watermark: Statement;
  /** 1 and 2 the stamp and object number to begin behind, 3 highest stamp, 4 limit. */
  readonly read: Statement;
}

export interface ChangeRow {
  readonly stamp: string;
  readonly oid: string;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly kind: "stored" | "recycled" | "deleted";
}

export function changeStatements(tables: Tables): ChangeStatements {
  return {
    // No higher than what is there: a copy of the database, restored elsewhere, then knows how far readers can have come.
    watermark: statement(
      "change_watermark",
      `select least(${lowestOpenStamp(tables)} - 1, ${highestStamp(tables)}) as watermark`,
    ),
    read: statement(
      "change_read",
      `${heads(tables.objects, "'stored'")} union all ${heads(tables.departures, "case when attributes is null then 'deleted' else 'recycled' end")}
      order by stamp, oid limit $4::bigint`,
    ),
  };
}

/** The first changes that one of the tables can tell of, read from its index. */
function heads(table: string, kind: string): string {
  return `(select stamp, oid, uuid, class, version, ${kind} as kind from ${table}
    where (stamp, oid) > ($1::bigint, $2::bigint) and stamp <= $3::bigint
    order by stamp, oid limit $4::bigint)`;
}
