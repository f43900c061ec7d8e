import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "./storage-time.ts";

export interface LockStatements {
  /** 1 object number. A row if it is live. */
  readonly target: Statement;
  /** 1 object number, 2 offset of the clock. Gives `session` and `since`, if the session lives. */
  readonly live: Statement;
  /** 1 digest of the session, 2 offset of the clock. Gives `count`. */
  readonly count: Statement;
  /** 1 object number, 2 digest of the session, 3 time. In the place of a lock that no longer counts. */
  readonly take: Statement;
  /** 1 object number. */
  readonly release: Statement;
  /** 1 offset of the clock, 2 limit. Gives the `oid` of locks whose session is over, without a lock on sessions. */
  readonly over: Statement;
}

export function lockStatements({ locks, objects, sessions }: Tables): LockStatements {
  return {
    target: statement("lock_target", `select oid from ${objects} where oid = $1`),
    live: statement(
      "lock_live",
      `select lower(hex(l.session)) as session, l.since from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = $1 and s.expires_at > ${storageTime(2)}`,
    ),
    count: statement(
      "lock_count",
      `select count(*) as count from ${locks} l join ${sessions} s on s.digest = l.session where l.session = $1 and s.expires_at > ${storageTime(2)}`,
    ),
    take: statement(
      "lock_take",
      `insert into ${locks} (oid, session, since) values ($1, $2, $3) on duplicate key update session = values(session), since = values(since)`,
    ),
    release: statement("lock_release", `delete from ${locks} where oid = $1`),
    over: statement(
      "lock_over",
      `select l.oid from ${locks} l where not exists (select 1 from ${sessions} s where s.digest = l.session and s.expires_at > ${storageTime(1)}) limit $2`,
    ),
  };
}
