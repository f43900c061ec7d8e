import type { SettingsStatements } from "../../../knex-settings-repository.ts";
import { statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";

export function settingsStatements(tables: Tables): SettingsStatements {
  const { accounts, appKeys, customAccounts, departures, identityLinks, objects, settings } = tables;
  const filled = [accounts, appKeys, customAccounts, departures, identityLinks, objects];
  const without = filled.map((table) => `not exists (select 1 from ${table})`);
  return {
    isEmpty: statement(
      "settings_is_empty",
      `select model_generation = 1 and ${without.join(" and ")} as empty from ${settings}`,
    ),
  };
}
