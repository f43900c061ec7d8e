import type { Settings, SettingsRepository } from "@sallyport/storage";
import { nothingIn } from "./archived-records.ts";
import { withSettings } from "./sql-errors.ts";
import type { SqlRunner } from "./sql-runner.ts";
import { statement } from "./statement.ts";

export const sqlSettingsRepository = (sql: SqlRunner, statements: SettingsStatements): SettingsRepository => ({
  async read() {
    const { rows } = await sql.build<SettingsRow>(sql.table("settings").select());
    return settingsOf(withSettings(rows));
  },

  async setMaintenance(on) {
    await sql.build(sql.table("settings").update({ maintenance: on }));
  },

  async raise() {
    await sql.build(sql.table("settings").increment("macro_generation"));
  },

  async isEmpty() {
    const { rows } = await sql.run<{ empty: boolean }>(statements.isEmpty);
    return rows[0]?.empty === true;
  },
});

type SettingsStatements = ReturnType<typeof settingsStatements>;

type Filled = "accounts" | "appKeys" | "customAccounts" | "objects" | "sweptObjects" | "tombstones";

export function settingsStatements(tables: Readonly<Record<Filled | "settings", string>>) {
  const { accounts, appKeys, customAccounts, tombstones, objects, settings, sweptObjects } = tables;
  const filled = [accounts, appKeys, customAccounts, tombstones, sweptObjects, objects];
  return {
    /** Gives `empty`. */
    isEmpty: statement("settings_is_empty", nothingIn(filled, settings)),
  };
}

export interface SettingsRow {
  readonly maintenance: boolean;
  readonly model_generation: string | number;
  readonly macro_generation: string | number;
}

export function settingsOf({ maintenance, model_generation, macro_generation }: SettingsRow): Settings {
  return { maintenance, modelGeneration: Number(model_generation), settingsGeneration: Number(macro_generation) };
}
