import { statement } from "../../../statement.ts";
import type { MacroStatements } from "../../../knex-macro-repository.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export function macroStatements({ macroVersions, settings }: Tables): MacroStatements {
  const columns = `m.name, m.version, m.text, m.language, ${epochMilliseconds("m.changed_at")} as changed_at, m.changed_by`;
  const isLatest = `not exists (select 1 from ${macroVersions} later where later.name = m.name and later.version > m.version)`;
  return {
    load: statement(
      "macros_load",
      `select g.macro_generation as generation, ${columns}
      from ${settings} g
      left join ${macroVersions} m on m.text is not null and ${isLatest}
      order by m.name`,
    ),
    hold: statement("macros_hold", `select 1 from ${settings} for update`),
    latest: statement(
      "macro_latest",
      `select version, text is not null as known from ${macroVersions} where name = $1 order by version desc limit 1`,
    ),
    add: statement(
      "macro_add",
      `insert into ${macroVersions} (name, version, text, language, changed_by, changed_at) values ($1, $2, $3, $4, $5, ${storageTime(6)})`,
    ),
    raise: statement("macros_raise", `update ${settings} set macro_generation = macro_generation + 1`),
    history: statement(
      "macro_history",
      `select ${columns} from ${macroVersions} m where m.name = $1 and ($3 is null or m.version < $3) order by m.version desc limit $2`,
    ),
  };
}
