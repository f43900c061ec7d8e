import { type Digest, isObjectId, type Lock, type LockRepository, type ObjectId, objectNumber } from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import type { LockStatements } from "../statements/lock-statements.ts";
import type { ObjectContext } from "./object-context.ts";
import { isAmongNumbers } from "./object-numbers.ts";
import { WritersTurn } from "./writers-turn.ts";

/** Locks are taken in turn with those who write: a write that is under way ends before, and one that begins later finds the lock. */
export class MariadbLockRepository implements LockRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly locks: LockStatements,
    private readonly context: ObjectContext,
  ) {}

  async take(id: ObjectId, session: Digest, atMost = 0): Promise<"taken" | "held" | "gone" | "full"> {
    if (!isObjectId(id)) return "gone";
    return this.inTurn(async (sql, now) => {
      const { rows } = await sql.run(this.locks.target, [objectNumber(id)]);
      if (rows.length === 0) return "gone";
      const lock = await this.live(sql, id);
      if (lock !== null) return lock.session === session ? "taken" : "held";
      if (atMost > 0 && (await this.heldBy(sql, session)) >= atMost) return "full";
      await sql.run(this.locks.take, [objectNumber(id), Buffer.from(session, "hex"), now]);
      return "taken";
    });
  }

  async release(id: ObjectId, session: Digest | null): Promise<"released" | "held" | "free"> {
    if (!isObjectId(id)) return "free";
    return this.inTurn(async (sql) => {
      const lock = await this.live(sql, id);
      if (lock === null) return "free";
      if (session !== null && lock.session !== session) return "held";
      await sql.run(this.locks.release, [objectNumber(id)]);
      return "released";
    });
  }

  async state(id: ObjectId): Promise<Lock | null> {
    return isObjectId(id) ? this.live(this.sql, id) : null;
  }

  async sweep(limit: number): Promise<number> {
    return this.inTurn(async (sql) => {
      const { rows } = await sql.run<{ oid: number }>(this.locks.over, [this.context.offset(), limit]);
      if (rows.length > 0)
        await sql.runOnce(
          `delete from ${this.context.tables.locks} where ${isAmongNumbers(
            "oid",
            rows.map(({ oid }) => Number(oid)),
          )}`,
          [],
        );
      return rows.length;
    });
  }

  private async live(sql: SqlRunner, id: ObjectId): Promise<Lock | null> {
    const { rows } = await sql.run<{ session: Digest; since: number }>(this.locks.live, [
      objectNumber(id),
      this.context.offset(),
    ]);
    return rows[0] === undefined ? null : { session: rows[0].session, since: Number(rows[0].since) };
  }

  private async heldBy(sql: SqlRunner, session: Digest): Promise<number> {
    const { rows } = await sql.run<{ count: number }>(this.locks.count, [
      Buffer.from(session, "hex"),
      this.context.offset(),
    ]);
    return Number(rows[0]?.count);
  }

  private inTurn<T>(work: (sql: SqlRunner, now: number) => Promise<T>): Promise<T> {
    return this.sql.atomically(async (sql) => {
      const { now } = await WritersTurn.take(sql, this.context.statements, this.context.offset());
      return work(sql, now);
    });
  }
}
