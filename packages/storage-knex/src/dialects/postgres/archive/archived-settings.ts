import type { RecordOf } from "@sallyport/core";
import type { Run } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, timeOf } from "./archived-table.ts";

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

export function archivedAppKeys({ appKeys }: Tables): ArchivedTable<"appKeys"> {
  const lists = { appNames: "app_names", origins: "origins", returnAddresses: "return_addresses" };
  const members = { id: "id", name: "name", enabled: "enabled", ...lists, digest: "encode(digest, 'hex')" };
  return {
    rows: appKeys,
    key: { column: "name", type: "text" },
    size: "octet_length(origins::text) + octet_length(return_addresses::text)",
    line: jsonLine(members),
    recordOf: (line) => ({ section: "appKeys", ...(JSON.parse(line) as Omit<RecordOf<"appKeys">, "section">) }),
    insert: `insert into ${appKeys} (id, name, digest, enabled, app_names, origins, return_addresses)
      select id, name, decode(digest, 'hex'), enabled, nullif("appNames", 'null'), origins, "returnAddresses"
      from jsonb_to_recordset($1::jsonb) as l (
        id text, name text, digest text, enabled boolean, "appNames" jsonb, origins jsonb, "returnAddresses" jsonb
      )`,
    rowsOf: (record) => JSON.stringify(record),
  };
}

export function archivedRecords({ records, recordVersions }: Tables): ArchivedTable<"records"> {
  const members = {
    kind: "kind",
    id: "id",
    owner: "owner",
    value: "value",
    createdAt: milliseconds("created_at"),
  };
  return {
    // A key of two columns in one, in the same order: kinds hold letters alone.
    rows: `(select *, (kind || ' ' || id) collate "C" as place from ${records} where expires_at = 'infinity')`,
    key: { column: "place", type: "text", isExpression: true },
    size: "(200 + octet_length(value::text))",
    line: jsonLine(members),
    recordOf: (line) => ({ section: "records", ...(JSON.parse(line) as Omit<RecordOf<"records">, "section">) }),
    insert: `insert into ${records} (kind, id, owner, value, version, born, created_at, expires_at)
      select kind, id, owner, value, version, version, ${timeOf('"createdAt"')}, 'infinity'
      from json_to_recordset($1::json) as l (kind text, id text, owner text, value json, "createdAt" float8),
        lateral (select nextval('${recordVersions}') as version where l.id is not null) drawn`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
