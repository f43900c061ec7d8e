import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export interface LockStatements {
  /** 1 object number, 2 digest of the session, 3 locks at most or 0, 4 offset of the clock. */
  readonly take: Statement;
  /** 1 object number, 2 digest of the session or null, 3 offset of the clock. */
  readonly release: Statement;
  /** 1 object number, 2 offset of the clock. */
  readonly state: Statement;
  /** 1 limit, 2 offset of the clock. */
  readonly sweep: Statement;
}

export function lockStatements({ locks, releaseLock, sessions, takeLock }: Tables): LockStatements {
  return {
    // A session that is over has no locks: nothing that it took before is counted.
    take: statement(
      "lock_take",
      `select ${takeLock}($1::bigint, $2::bytea,
        case when exists (select from ${sessions} where digest = $2::bytea and expires_at > ${storageTime(4)}) then $3::bigint else 0 end,
        $4::float8) as outcome`,
    ),
    release: statement("lock_release", `select ${releaseLock}($1::bigint, $2::bytea, $3::float8) as outcome`),
    state: statement(
      "lock_state",
      `select encode(l.session, 'hex') as session, ${epochMilliseconds("l.since")} as since
      from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = $1::bigint and s.expires_at > ${storageTime(2)}`,
    ),
    sweep: statement(
      "lock_sweep",
      `delete from ${locks} where oid in (
        select l.oid from ${locks} l
        where not exists (select from ${sessions} s where s.digest = l.session and s.expires_at > ${storageTime(2)})
        limit $1::bigint for update of l skip locked
      )`,
    ),
  };
}
