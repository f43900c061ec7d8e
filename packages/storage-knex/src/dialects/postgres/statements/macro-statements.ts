import { statement } from "../../../statement.ts";
import type { MacroStatements } from "../../../statements/macro-statements.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

export function macroStatements({ macroVersions, schema, settings }: Tables): MacroStatements {
  const columns = `m.name, m.version, m.text, m.language, ${epochMilliseconds("m.changed_at")} as changed_at, m.changed_by`;
  return {
    load: statement(
      "macros_load",
      `select g.macro_generation as generation, ${columns}
      from ${settings} g
      left join (select distinct on (name) * from ${macroVersions} order by name, version desc) m on m.text is not null
      order by m.name`,
    ),
    hold: statement("macros_hold", `select pg_advisory_xact_lock(hashtextextended('sallyport:${schema}:macros', 0))`),
    latest: statement(
      "macro_latest",
      `select version, text is not null as known from ${macroVersions} where name = $1::text order by version desc limit 1`,
    ),
    add: statement(
      "macro_add",
      `insert into ${macroVersions} (name, version, text, language, changed_by, changed_at)
      values ($1::text, $2::integer, $3::text, $4::text, $5::text, ${storageTime(6)})`,
    ),
    raise: statement("macros_raise", `update ${settings} set macro_generation = macro_generation + 1`),
    history: statement(
      "macro_history",
      `select ${columns} from ${macroVersions} m
      where m.name = $1::text and ($3::bigint is null or m.version < $3::bigint)
      order by m.version desc limit $2::bigint`,
    ),
  };
}
