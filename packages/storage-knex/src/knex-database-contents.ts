import type { DatabaseContents, MaintenanceSwitch } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

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

export interface ContentsStatements {
  readonly isEmpty: Statement;
}

export class KnexMaintenanceSwitch implements MaintenanceSwitch {
  constructor(private readonly sql: SqlRunner) {}

  async set(on: boolean): Promise<void> {
    await this.sql.build(this.sql.table("settings").update({ maintenance: on }));
  }
}
