import type { RecordOf } from "@sallyport/core";
import type { Run } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";

interface SettingsRow {
  readonly maintenance: boolean;
  readonly generation: string;
  readonly macro_generation: string;
  readonly objects: string;
  readonly last_object: string;
  readonly last_audit: string;
}

/** The settings, and what was given out last: never less than what the tables of the same snapshot hold. */
export async function readSettings(run: Run, tables: Tables): Promise<RecordOf<"settings">> {
  const { rows } = await run<SettingsRow>({
    text: `select maintenance, model_generation as generation, macro_generation, (select count(*) from ${tables.objects}) as objects,
      coalesce(pg_sequence_last_value('${tables.objectIds}'), 0) as last_object,
      coalesce(pg_sequence_last_value(${auditSequence(tables)}), 0) as last_audit
    from ${tables.settings}`,
  });
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
  run: Run,
  { settings }: Tables,
  { maintenance, modelGeneration, macroGeneration }: RecordOf<"settings">,
): Promise<void> {
  await run({
    text: `update ${settings} set maintenance = $1, model_generation = $2, macro_generation = $3`,
    values: [maintenance, modelGeneration, macroGeneration],
  });
}

/** Lets the sequences go on behind what was given out. They forget no rollback, so this comes last. */
export async function writeSequences(
  run: Run,
  tables: Tables,
  { lastObject, lastAudit }: RecordOf<"settings">,
): Promise<void> {
  const { audit, departures, objectIds, objects } = tables;
  const behind = (sequence: string, last: string) =>
    `select setval(${sequence}, last) from (select ${last} as last) l where last > 0`;
  const highest = `greatest($1::bigint, (select max(oid) from ${objects}), (select max(oid) from ${departures}))`;
  await run({ text: behind(`'${objectIds}'`, highest), values: [lastObject] });
  await run({
    text: behind(auditSequence(tables), `greatest($1::bigint, (select max(sequence) from ${audit}))`),
    values: [lastAudit],
  });
}

function auditSequence({ audit }: Tables): string {
  return `pg_get_serial_sequence('${audit}', 'sequence')::regclass`;
}
