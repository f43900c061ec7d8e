import { acceptStorable, isStorableText, type PasswordHistoryRepository } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexPasswordHistoryRepository implements PasswordHistoryRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: PasswordHistoryStatements,
  ) {}

  async latest(subject: string, limit: number): Promise<string[]> {
    if (!isStorableText(subject)) return [];
    const { rows } = await this.sql.run<{ secret: string }>(this.statements.latest, [subject, limit]);
    return rows.map(({ secret }) => secret);
  }

  async add(subject: string, secret: string, keep: number): Promise<void> {
    acceptStorable([subject, secret]);
    await this.sql.atomically(async (sql) => {
      const adding = sql.run(this.statements.add, [subject, secret]);
      const [, { rows }] = await Promise.all([
        adding,
        sql.run<{ position: string }>(this.statements.beyond, [subject, keep]),
      ]);
      await Promise.all(rows.map(({ position }) => sql.run(this.statements.forget, [position])));
    });
  }
}

export interface PasswordHistoryStatements {
  /** 1 subject, 2 limit. The `secret` of each, latest first. */
  readonly latest: Statement;
  /** 1 subject, 2 secret. */
  readonly add: Statement;
  /** 1 subject, 2 how many of the latest stay. The `position` of each other one, without waiting for those that others add meanwhile. */
  readonly beyond: Statement;
  /** 1 position. */
  readonly forget: Statement;
}
