import type { Settings, SettingsRepository } from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexSettingsRepository implements SettingsRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: SettingsStatements,
  ) {}

  async read(): Promise<Settings> {
    const { rows } = await this.sql.build<SettingsRow>(this.sql.table("settings").select());
    const { maintenance, model_generation, macro_generation } = rows[0] as SettingsRow;
    return {
      maintenance,
      modelGeneration: Number(model_generation),
      macroGeneration: Number(macro_generation),
    };
  }

  async setMaintenance(on: boolean): Promise<void> {
    await this.sql.build(this.sql.table("settings").update({ maintenance: on }));
  }

  async raiseMacroGeneration(): Promise<void> {
    await this.sql.build(this.sql.table("settings").increment("macro_generation"));
  }

  async isEmpty(): Promise<boolean> {
    const { rows } = await this.sql.run<{ empty: boolean }>(this.statements.isEmpty, []);
    return rows[0]?.empty === true;
  }
}

export interface SettingsStatements {
  /** Gives `empty`. */
  readonly isEmpty: Statement;
}

interface SettingsRow {
  readonly maintenance: boolean;
  readonly model_generation: string | number;
  readonly macro_generation: string | number;
}
