import { type Digest, isObjectId, type Lock, type LockRepository, type ObjectId, objectNumber } from "@sallyport/core";
import type { SqlRunner } from "../../sql-runner.ts";
import { statement } from "../../statement.ts";
import { epochMilliseconds, storageTime } from "./statements/expressions.ts";
import type { Tables } from "./tables.ts";

export class PostgresLockRepository implements LockRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: LockStatements,
    private readonly offset: () => number,
  ) {}

  async take(id: ObjectId, session: Digest, atMost = 0): Promise<"taken" | "held" | "gone" | "full"> {
    if (!isObjectId(id)) return "gone";
    const values = [objectNumber(id), Buffer.from(session, "hex"), atMost, this.offset()];
    const { rows } = await this.sql.run<{ outcome: "taken" | "held" | "gone" | "full" }>(this.statements.take, values);
    return (rows[0] as { outcome: "taken" | "held" | "gone" | "full" }).outcome;
  }

  async release(id: ObjectId, session: Digest | null): Promise<"released" | "held" | "free"> {
    if (!isObjectId(id)) return "free";
    const values = [objectNumber(id), session === null ? null : Buffer.from(session, "hex"), this.offset()];
    const { rows } = await this.sql.run<{ outcome: "released" | "held" | "free" }>(this.statements.release, values);
    return (rows[0] as { outcome: "released" | "held" | "free" }).outcome;
  }

  async state(id: ObjectId): Promise<Lock | null> {
    if (!isObjectId(id)) return null;
    const { rows } = await this.sql.run<{ session: Digest; since: string }>(this.statements.state, [
      objectNumber(id),
      this.offset(),
    ]);
    const [row] = rows;
    return row === undefined ? null : { session: row.session, since: Number(row.since) };
  }

  async sweep(limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.statements.sweep, [limit, this.offset()]);
    return rowCount;
  }
}

type LockStatements = ReturnType<typeof lockStatements>;

export function lockStatements({ locks, releaseLock, sessions, takeLock }: Tables) {
  return {
    /**
     * 1 object number, 2 digest of the session, 3 locks at most or 0, 4 offset of the clock. A session that is over has no locks: nothing
     * that it took before is counted.
     */
    take: statement(
      "lock_take",
      `select ${takeLock}($1::bigint, $2::bytea,
        case when exists (select from ${sessions} where digest = $2::bytea and expires_at > ${storageTime(4)}) then $3::bigint else 0 end,
        $4::float8) as outcome`,
    ),
    /** 1 object number, 2 digest of the session or null, 3 offset of the clock. */
    release: statement("lock_release", `select ${releaseLock}($1::bigint, $2::bytea, $3::float8) as outcome`),
    /** 1 object number, 2 offset of the clock. */
    state: statement(
      "lock_state",
      `select encode(l.session, 'hex') as session, ${epochMilliseconds("l.since")} as since
      from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = $1::bigint and s.expires_at > ${storageTime(2)}`,
    ),
    /** 1 limit, 2 offset of the clock. */
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
