import { type Digest, isObjectId, type LockRepository, objectIdOf, objectNumber } from "@sallyport/storage";
import { type SqlRunner, statement } from "../../sql-runner.ts";
import { epochMilliseconds, storageTime } from "./expressions.ts";
import type { Tables } from "./tables.ts";

export const postgresLockRepository = (
  sql: SqlRunner,
  statements: LockStatements,
  offset: () => number,
): LockRepository => ({
  async take(id, session, atMost = 0) {
    if (!isObjectId(id)) return "notFound";
    const values = [objectNumber(id), Buffer.from(session, "hex"), atMost, offset()];
    const { rows } = await sql.run<{ outcome: "locked" | "lockedByOther" | "notFound" | "limitReached" }>(
      statements.take,
      values,
    );
    return (rows[0] as { outcome: "locked" | "lockedByOther" | "notFound" | "limitReached" }).outcome;
  },

  async release(id, session) {
    if (!isObjectId(id)) return "notLocked";
    const values = [objectNumber(id), session === null ? null : Buffer.from(session, "hex"), offset()];
    const { rows } = await sql.run<{ outcome: "released" | "lockedByOther" | "notLocked" }>(statements.release, values);
    return (rows[0] as { outcome: "released" | "lockedByOther" | "notLocked" }).outcome;
  },

  async state(id) {
    if (!isObjectId(id)) return null;
    const values = [objectNumber(id), offset()];
    const { rows } = await sql.run<{ session: Digest; user_id: string; since: string }>(statements.state, values);
    const [row] = rows;
    if (row === undefined) return null;
    return { session: row.session, userId: objectIdOf(Number(row.user_id)), since: Number(row.since) };
  },
});

type LockStatements = ReturnType<typeof lockStatements>;

export function lockStatements({ locks, releaseLock, sessions, takeLock }: Tables) {
  return {
    /**
     * 1 object number, 2 session digest, 3 maximum number of locks or 0, 4 clock offset. An expired session has no
     * locks, so the maximum does not apply to it.
     */
    take: statement(
      "lock_take",
      `select ${takeLock}($1::bigint, $2::bytea,
        case when exists (select from ${sessions} where digest = $2::bytea and expires_at > ${storageTime(4)}) then $3::bigint else 0 end,
        $4::float8) as outcome`,
    ),
    /** 1 object number, 2 session digest or null, 3 clock offset. */
    release: statement("lock_release", `select ${releaseLock}($1::bigint, $2::bytea, $3::float8) as outcome`),
    /** 1 object number, 2 clock offset. */
    state: statement(
      "lock_state",
      `select encode(l.session, 'hex') as session, s.user_id, ${epochMilliseconds("l.since")} as since
      from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = $1::bigint and s.expires_at > ${storageTime(2)}`,
    ),
    /** 1 limit, 2 clock offset. */
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
