import type { SettingsStatements } from "../../../knex-settings-repository.ts";
import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";

export interface ModelStatements {
  /** The generation, and with it each `definition` as of the same moment; one row with null where there are no classes. */
  readonly load: Statement;
  /** 1 expected generation. Changes a row if it is the current one. */
  readonly raise: Statement;
  /** 1 name of a class. */
  readonly remove: Statement;
}

export function modelStatements({ classes, settings }: Tables): ModelStatements {
  return {
    load: statement(
      "model_load",
      `select s.model_generation as generation, c.definition from ${settings} s left join ${classes} c on true order by c.position`,
    ),
    raise: statement(
      "model_raise",
      `update ${settings} set model_generation = model_generation + 1 where model_generation = $1`,
    ),
    remove: statement("model_remove", `delete from ${classes} where name = $1`),
  };
}

export function settingsStatements(tables: Tables): SettingsStatements {
  const { accounts, appKeys, customAccounts, departures, objects, settings } = tables;
  const filled = [accounts, appKeys, customAccounts, departures, objects];
  const without = filled.map((table) => `not exists (select 1 from ${table})`);
  return {
    isEmpty: statement(
      "settings_is_empty",
      `select model_generation = 1 and ${without.join(" and ")} as empty from ${settings}`,
    ),
  };
}
