import { type Digest, isObjectId, type Lock, type LockRepository, type ObjectId, objectNumber } from "@sallyport/core";
import type { LockStatements } from "./dialects/postgres/statements/object-statements.ts";
import type { SqlRunner } from "./sql-runner.ts";

export class KnexLockRepository implements LockRepository {
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
