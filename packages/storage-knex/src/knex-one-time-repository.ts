import {
  acceptStorable,
  type Digest,
  isStorableText,
  type OneTimeIssue,
  type OneTimeKind,
  type OneTimePayload,
  type OneTimeRepository,
  type OneTimeRoom,
  type OneTimeSecret,
  ServiceError,
} from "@sallyport/core";
import type { SqlRunner, SqlValue } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexOneTimeRepository implements OneTimeRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: OneTimeStatements,
    private readonly offset: () => number,
  ) {}

  async issue(secret: OneTimeSecret): Promise<void> {
    const values = this.valuesOf(secret);
    const { rowCount } = await this.sql.run(this.statements.issue, values);
    if (rowCount === 0) await this.issueAnew(values);
  }

  async issueWithin(
    secret: OneTimeSecret & { readonly subject: string },
    { ofSubject, inAll }: OneTimeRoom,
  ): Promise<OneTimeIssue> {
    const { rows } = await this.sql.run<OneTimeIssueRow>(this.statements.issueWithin, [
      ...this.valuesOf(secret),
      ofSubject,
      inAll,
    ]);
    const { outcome } = rows[0] as OneTimeIssueRow;
    if (outcome === "known") throw twice();
    return outcome;
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
  private issueAnew(values: readonly SqlValue[]): Promise<void> {
    return this.sql.atomically(async (sql) => {
      await sql.run(this.statements.clear, [values[0] ?? null, values[1] ?? null, this.offset()]);
      const { rowCount } = await sql.run(this.statements.issue, values);
      if (rowCount === 0) throw twice();
    });
  }

  private valuesOf({ kind, digest, subject, payload, lifetime }: OneTimeSecret): SqlValue[] {
    acceptStorable([subject, payload]);
    return [kind, bytesOf(digest), subject, JSON.stringify(payload), lifetime, this.offset()];
  }
}

function twice(): ServiceError {
  return new ServiceError(799, { detail: "A secret was given out twice." });
}

function bytesOf(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}

export interface OneTimeStatements {
  /** 1 kind, 2 digest, 3 subject or null, 4 payload, 5 lifetime, 6 offset of the clock. Does nothing if one with this digest is there, good or not. */
  readonly issue: Statement;
  /** The same, with 7 room of the subject, 8 room in all, 0 being none that is limited. Answers what became of it. */
  readonly issueWithin: Statement;
  /** 1 kind, 2 digest, 3 offset. Takes one away whose time is over. */
  readonly clear: Statement;
  /** 1 kind, 2 digest, 3 offset. */
  readonly read: Statement;
  /** 1 kind, 2 digest, 3 offset. Takes it away and returns it. */
  readonly consume: Statement;
  /** 1 kind, 2 subject, 3 offset. Only those that are good. */
  readonly revoke: Statement;
  /** 1 limit, 2 offset. */
  readonly sweep: Statement;
}

interface OneTimeIssueRow {
  /** `known`: one with this digest is good. */
  readonly outcome: OneTimeIssue | "known";
}

interface OneTimeRow {
  readonly payload: OneTimePayload;
}
