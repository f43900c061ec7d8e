import { statement } from "../../../statement.ts";
import type { ContentsStatements } from "../../../knex-database-contents.ts";
import type { Tables } from "../tables.ts";

export function contentsStatements(tables: Tables): ContentsStatements {
  const {
    accounts,
    appKeys,
    applications,
    customAccounts,
    departures,
    identityLinks,
    identityProviders,
    macroVersions,
    objects,
    settings,
  } = tables;
  const filled = [
    accounts,
    appKeys,
    applications,
    customAccounts,
    departures,
    identityLinks,
    identityProviders,
    macroVersions,
    objects,
  ];
  const without = filled.map((table) => `not exists (select 1 from ${table})`);
  return {
    isEmpty: statement(
      "contents_empty",
      `select model_generation = 1 and ${without.join(" and ")} as empty from ${settings}`,
    ),
  };
}
