import type { RecordOf } from "@sallyport/core";
import type { SqlRunner } from "../../../sql-runner.ts";
import type { Run } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import type { ArchivedTables } from "./archived-tables.ts";

interface SettingsRow {
  readonly maintenance: boolean;
  readonly generation: number;
  readonly macro_generation: number;
  readonly objects: number;
  readonly last_object: number;
  readonly last_audit: number;
}

/**
 * The settings, and what was given out last: never less than what the tables of the same snapshot hold. All tables are named in one
 * statement, so that none of them is changed in its form before it is read.
 */
export async function readSettings(
  run: Run,
  { audit, objects, objectSeries, settings }: Tables,
  sections: ArchivedTables,
): Promise<RecordOf<"settings">> {
  const touched = Object.values(sections).map(({ table }) => `(select 1 from ${table} limit 1)`);
  const { rows } = await run<SettingsRow>(
    `select maintenance, model_generation as generation, macro_generation, (select count(*) from ${objects}) as objects, (select number from ${objectSeries}) as last_object,
      greatest(last_audit, coalesce((select max(sequence) from ${audit}), 0)) as last_audit,
      concat(${touched.join(", ")}) as touched
    from ${settings}`,
  );
  const [row] = rows as [SettingsRow];
  return {
    section: "settings",
    maintenance: row.maintenance,
    modelGeneration: Number(row.generation),
    macroGeneration: Number(row.macro_generation),
    objects: Number(row.objects),
    lastObject: Number(row.last_object),
    lastAudit: Number(row.last_audit),
  };
}

export async function writeSettings(
  sql: SqlRunner,
  { settings }: Tables,
  { maintenance, modelGeneration, macroGeneration, lastAudit }: RecordOf<"settings">,
): Promise<void> {
  const changes = "maintenance = $1, model_generation = $2, macro_generation = $3, last_audit = $4";
  await sql.runOnce(`update ${settings} set ${changes}`, [maintenance, modelGeneration, macroGeneration, lastAudit]);
}

/** Lets what is written later have higher numbers and stamps than there ever were. */
export async function writeSeries(
  sql: SqlRunner,
  { audit, departures, objectSeries, objects }: Tables,
  { lastObject, lastAudit }: RecordOf<"settings">,
): Promise<void> {
  const highest = (column: string) =>
    `coalesce((select max(${column}) from ${objects}), 0), coalesce((select max(${column}) from ${departures}), 0)`;
  await sql.runOnce(
    `update ${objectSeries} set number = greatest($1, ${highest("oid")}), stamp = greatest(stamp, ${highest("stamp")})`,
    [lastObject],
  );
  if (lastAudit === 0) return;
  // The series of a table goes on behind the highest number that it has seen, also when that row is gone or taken back.
  const { rows } = await sql.runOnce(`select 1 from ${audit} where sequence >= $1 limit 1`, [lastAudit]);
  if (rows.length > 0) return;
  await sql.runOnce(
    `insert into ${audit} (sequence, at, type, request_id, outcome, app_key_id, address, app_names) values ($1, now(6), '', '', 0, '', '', '[]')`,
    [lastAudit],
  );
  await sql.runOnce(`delete from ${audit} where sequence = $1`, [lastAudit]);
}
