import { acceptStorable, type Digest, isStorableText, type OneTimeKind, type OneTimePayload, type OneTimeRepository, type OneTimeSecret, ServiceError } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { OneTimeRow, OneTimeStatements } from "./statements/one-time-statements.ts";

export class KnexOneTimeRepository implements OneTimeRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: OneTimeStatements,
    private readonly offset: () => number,
  ) {}

  async issue({ kind, digest, subject, payload, lifetime }: OneTimeSecret): Promise<void> {
    acceptStorable([subject, payload]);
    const values = [kind, bytesOf(digest), subject, JSON.stringify(payload), lifetime, this.offset()];
    const { rowCount } = await this.sql.run(this.statements.issue, values);
    if (rowCount === 0) await this.issueAnew(values);
  }

  async read(kind: OneTimeKind, digest: Digest): Promise<OneTimePayload | null> {
    const { rows } = await this.sql.run<OneTimeRow>(this.statements.read, [kind, bytesOf(digest), this.offset()]);
    return rows[0]?.payload ?? null;
  }

  async consume(kind: OneTimeKind, digest: Digest): Promise<OneTimePayload | null> {
    const { rows } = await this.sql.run<OneTimeRow>(this.statements.consume, [kind, bytesOf(digest), this.offset()]);
    return rows[0]?.payload ?? null;
  }

  async revoke(kind: OneTimeKind, subject: string): Promise<number> {
    if (!isStorableText(subject)) return 0;
    const { rowCount } = await this.sql.run(this.statements.revoke, [kind, subject, this.offset()]);
    return rowCount;
  }

  async sweep(limit: number): Promise<number> {
    const { rowCount } = await this.sql.run(this.statements.sweep, [limit, this.offset()]);
    return rowCount;
  }

  /** In the place of one whose time is over. */
  private issueAnew(values: readonly (string | number | Buffer | null)[]): Promise<void> {
    return this.sql.atomically(async (sql) => {
      await sql.run(this.statements.clear, [values[0] ?? null, values[1] ?? null, this.offset()]);
      const { rowCount } = await sql.run(this.statements.issue, values);
      if (rowCount === 0) throw new ServiceError(799, { detail: "A secret was given out twice." });
    });
  }
}

function bytesOf(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}
