import type { DatabaseContents } from "@sallyport/core";
import type { ContentsStatements } from "./statements/contents-statements.ts";
import type { SqlRunner } from "./sql-runner.ts";

export class KnexDatabaseContents implements DatabaseContents {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: ContentsStatements,
  ) {}

  async isEmpty(): Promise<boolean> {
    const { rows } = await this.sql.run<{ empty: boolean }>(this.statements.isEmpty, []);
    return rows[0]?.empty === true;
  }
}
