import { statement } from "../../../statement.ts";
import type { ContentsStatements } from "../../../statements/contents-statements.ts";
import type { Tables } from "../tables.ts";

export function contentsStatements({ accounts, appKeys, applications, customAccounts, departures, macroVersions, objects, settings }: Tables): ContentsStatements {
  const without = [accounts, appKeys, applications, customAccounts, departures, macroVersions, objects].map((table) => `not exists (select 1 from ${table})`);
  return { isEmpty: statement("contents_empty", `select model_generation = 1 and ${without.join(" and ")} as empty from ${settings}`) };
}
