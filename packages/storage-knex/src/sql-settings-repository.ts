import type { SettingsRepository } from "@sallyport/storage";
import { nothingIn } from "./archived-records.ts";
import { type SqlRunner, statement } from "./sql-runner.ts";

export const sqlSettingsRepository = (sql: SqlRunner, statements: SettingsStatements): SettingsRepository => ({
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
