import {
  type Digest,
  isObjectId,
  type Lock,
  type LockRepository,
  lockWrites,
  objectIdOf,
  objectNumber,
} from "@sallyport/storage";
import { type SqlRunner, statement } from "../../../sql-runner.ts";
import { storageTime } from "../expressions.ts";
import type { Tables } from "../tables.ts";
import { isAmongNumbers } from "../object-row.ts";
import { type ObjectContext, WriteLock } from "./write-lock.ts";

/** Locks require the write lock. */
export function mariadbLockRepository(
  runner: SqlRunner,
  locks: LockStatements,
  context: ObjectContext,
): LockRepository {
  return {
    ...lockWrites((work) =>
      runner.atomically(async (sql) => {
        const { now } = await WriteLock.take(sql, context);
        return work({
          isLive: async (id) => (await sql.run(locks.target, [objectNumber(id)])).rows.length > 0,
          lock: (id) => live(sql, id),
          count: async (session) => {
            const values = [Buffer.from(session, "hex"), context.offset()];
            return Number((await sql.run<{ count: number }>(locks.count, values)).rows[0]?.count);
          },
          put: (id, session) => sql.run(locks.take, [objectNumber(id), Buffer.from(session, "hex"), now]),
          remove: (id) => sql.run(locks.release, [objectNumber(id)]),
        });
      }),
    ),

    state: async (id) => (isObjectId(id) ? live(runner, id) : null),
  };

  async function live(sql: SqlRunner, id: string): Promise<Lock | null> {
    const values = [objectNumber(id), context.offset()];
    const { rows } = await sql.run<{ session: Digest; user_id: number; since: number }>(locks.live, values);
    const [row] = rows;
    if (row === undefined) return null;
    return { session: row.session, userId: objectIdOf(Number(row.user_id)), since: Number(row.since) };
  }
}

/** Deletes at most `limit` locks of ended sessions. Returns their number. Waits for no writer if there are none. */
export async function sweepLocks(
  runner: SqlRunner,
  limit: number,
  locks: Pick<LockStatements, "expired">,
  context: ObjectContext,
): Promise<number> {
  const expired = async (sql: SqlRunner) =>
    (await sql.run<{ oid: number }>(locks.expired, [context.offset(), limit])).rows.map(({ oid }) => Number(oid));
  if ((await expired(runner)).length === 0) return 0;
  return runner.atomically(async (sql) => {
    await WriteLock.take(sql, context);
    const numbers = await expired(sql);
    if (numbers.length > 0)
      await sql.runOnce(`delete from ${context.tables.locks} where ${isAmongNumbers("oid", numbers)}`);
    return numbers.length;
  });
}

type LockStatements = ReturnType<typeof lockStatements>;

export function lockStatements({ locks, objects, sessions }: Tables) {
  return {
    /** 1 object number. Returns a row if the object is live. */
    target: statement("lock_target", `select oid from ${objects} where oid = $1`),
    /** 1 object number, 2 clock offset. Returns `session`, `user_id` and `since` if the session is live. */
    live: statement(
      "lock_live",
      `select lower(hex(l.session)) as session, s.user_id, l.since from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = $1 and s.expires_at > ${storageTime(2)}`,
    ),
    /** 1 session digest, 2 clock offset. Returns `count`. */
    count: statement(
      "lock_count",
      `select count(*) as count from ${locks} l join ${sessions} s on s.digest = l.session where l.session = $1 and s.expires_at > ${storageTime(2)}`,
    ),
    /** 1 object number, 2 session digest, 3 time. Replaces an expired lock. */
    take: statement(
      "lock_take",
      `insert into ${locks} (oid, session, since) values ($1, $2, $3) on duplicate key update session = values(session), since = values(since)`,
    ),
    /** 1 object number. */
    release: statement("lock_release", `delete from ${locks} where oid = $1`),
    /** 1 clock offset, 2 limit. Returns the `oid` of expired locks: their session has ended. Locks no row of a session. */
    expired: statement(
      "lock_expired",
      `select l.oid from ${locks} l where not exists (select 1 from ${sessions} s where s.digest = l.session and s.expires_at > ${storageTime(1)}) limit $2`,
    ),
  };
}
