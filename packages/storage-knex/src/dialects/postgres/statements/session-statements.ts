import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { ownShard } from "./count-shards.ts";
import { storageTime } from "./storage-time.ts";

/**
 * How many sessions there are is kept in counters, changed by the same statements that add and remove rows: each
 * connection has its own counter, so that none waits for another. They count rows, expired ones included, and give an
 * upper bound at once; only when the bound reaches a limit are the live sessions really counted.
 */
export interface SessionStatements {
  /**
   * 1 digest, 2 mode, 3 app key, 4 user, 5 app names, 6 device, 7 idle time-out, 8 absolute lifetime, 9 offset of the
   * clock, 10 version of the secret, 11 limit of the database, 12 of the user (0 = none).
   */
  readonly open: Statement;
  /** 1 digest, 2 offset of the clock. */
  readonly endOne: Statement;
  /** 1 id of the user, 2 offset of the clock. */
  readonly endAllOfUser: Statement;
  /** 1 offset of the clock. */
  readonly count: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}

const shard = `shard = ${ownShard}`;

export function sessionStatements(tables: Tables): SessionStatements {
  return {
    open: statement(
      "session_open",
      `select ${tables.openSession}($1::bytea, $2::text, $3::text, $4::bigint, $5::jsonb, $6::text, $7::float8, $8::float8,
        $9::float8, $10::integer, $11::bigint, $12::bigint)`,
    ),
    endOne: statement("session_end", remove(tables, "digest = $1::bytea")),
    endAllOfUser: statement("session_end_user", remove(tables, "user_id = $1::bigint")),
    count: statement("session_count", `select count(*) from ${tables.sessions} where expires_at > ${storageTime(1)}`),
    sweep: statement(
      "session_sweep",
      remove(
        tables,
        `digest in (
          select digest from ${tables.sessions} where expires_at <= ${storageTime(2)} limit $1 for update skip locked
        )`,
      ),
    ),
  };
}

/** Deletes what is selected and answers how many rows it was, and how many of them were live. The clock is parameter 2. */
function remove({ sessions, sessionCounts }: Tables, selection: string): string {
  return `with removed as (
    delete from ${sessions} where ${selection} returning expires_at > ${storageTime(2)} as live
  ), counted as (
    update ${sessionCounts} set sessions = sessions - (select count(*) from removed)
    where ${shard} and exists (select from removed)
  )
  select count(*) as all, count(*) filter (where live) as live from removed`;
}
