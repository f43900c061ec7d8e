import {
  type Digest,
  isObjectId,
  type Lock,
  type LockRepository,
  type ObjectId,
  objectNumber,
} from "@sallyport/storage";
import type { SqlRunner } from "../../../sql-runner.ts";
import { statement } from "../../../statement.ts";
import { storageTime } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";
import { isAmongNumbers } from "./object-row.ts";
import { type ObjectContext, WriteLock } from "./write-lock.ts";

/** Locks require the write lock: a running write ends first, and a later one sees the lock. */
export function mariadbLockRepository(
  runner: SqlRunner,
  locks: LockStatements,
  context: ObjectContext,
): LockRepository {
  return {
    async take(id, session, atMost = 0) {
      if (!isObjectId(id)) return "notFound";
      return withWriteLock(async (sql, now) => {
        const { rows } = await sql.run(locks.target, [objectNumber(id)]);
        if (rows.length === 0) return "notFound";
        const lock = await live(sql, id);
        if (lock !== null) return lock.session === session ? "locked" : "lockedByOther";
        if (atMost > 0 && (await countLocks(sql, session)) >= atMost) return "limitReached";
        await sql.run(locks.take, [objectNumber(id), Buffer.from(session, "hex"), now]);
        return "locked";
      });
    },

    async release(id, session) {
      if (!isObjectId(id)) return "notLocked";
      return withWriteLock(async (sql) => {
        const lock = await live(sql, id);
        if (lock === null) return "notLocked";
        if (session !== null && lock.session !== session) return "lockedByOther";
        await sql.run(locks.release, [objectNumber(id)]);
        return "released";
      });
    },

    async state(id) {
      return isObjectId(id) ? live(runner, id) : null;
    },

    async sweep(limit) {
      return withWriteLock(async (sql) => {
        const { rows } = await sql.run<{ oid: number }>(locks.expired, [context.offset(), limit]);
        if (rows.length > 0)
          await sql.runOnce(
            `delete from ${context.tables.locks} where ${isAmongNumbers(
              "oid",
              rows.map(({ oid }) => Number(oid)),
            )}`,
          );
        return rows.length;
      });
    },
  };

  async function live(sql: SqlRunner, id: ObjectId): Promise<Lock | null> {
    const { rows } = await sql.run<{ session: Digest; since: number }>(locks.live, [
      objectNumber(id),
      context.offset(),
    ]);
    return rows[0] === undefined ? null : { session: rows[0].session, since: Number(rows[0].since) };
  }

  async function countLocks(sql: SqlRunner, session: Digest): Promise<number> {
    const { rows } = await sql.run<{ count: number }>(locks.count, [Buffer.from(session, "hex"), context.offset()]);
    return Number(rows[0]?.count);
  }

  function withWriteLock<T>(work: (sql: SqlRunner, now: number) => Promise<T>): Promise<T> {
    return runner.atomically(async (sql) => {
      const { now } = await WriteLock.take(sql, context);
      return work(sql, now);
    });
  }
}

type LockStatements = ReturnType<typeof lockStatements>;

export function lockStatements({ locks, objects, sessions }: Tables) {
  return {
    /** 1 object number. Returns a row if the object is live. */
    target: statement("lock_target", `select oid from ${objects} where oid = $1`),
    /** 1 object number, 2 clock offset. Returns `session` and `since` if the session is live. */
    live: statement(
      "lock_live",
      `select lower(hex(l.session)) as session, l.since from ${locks} l join ${sessions} s on s.digest = l.session
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
