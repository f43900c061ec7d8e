import type { RecordOf } from "@sallyport/core";
import type { Run } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { type ArchivedTable, jsonLine, milliseconds, smallRow, timeOf } from "./archived-table.ts";

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

export function archivedApplications({ applications }: Tables): ArchivedTable<"applications"> {
  return {
    rows: applications,
    key: { column: "name", type: "text" },
    size: smallRow,
    line: jsonLine({ name: "name", seats: "seats", secondFactor: "second_factor" }),
    recordOf: (line) => ({
      section: "applications",
      ...(JSON.parse(line) as Omit<RecordOf<"applications">, "section">),
    }),
    insert: `insert into ${applications} (name, seats, second_factor) select name, seats, "secondFactor"
      from jsonb_to_recordset($1::jsonb) as l (name text, seats integer, "secondFactor" text)`,
    rowsOf: (record) => JSON.stringify(record),
  };
}

export function archivedKeys({ keys }: Tables): ArchivedTable<"keys"> {
  const members = {
    kind: "kind",
    keyId: "key_id",
    publicKey: "public_key",
    wrappedPrivateKey: "wrapped_private_key",
    createdAt: milliseconds("created_at"),
    acceptedUntil: milliseconds("accepted_until"),
  };
  return {
    rows: keys,
    key: { column: "position", type: "bigint" },
    size: smallRow,
    line: jsonLine(members),
    recordOf: (line) => ({ section: "keys", ...(JSON.parse(line) as Omit<RecordOf<"keys">, "section">) }),
    insert: `insert into ${keys} (kind, key_id, public_key, wrapped_private_key, created_at, accepted_until)
      select key ->> 'kind', key ->> 'keyId', key ->> 'publicKey', key ->> 'wrappedPrivateKey',
        ${timeOf("(key ->> 'createdAt')::float8")}, ${timeOf("(key ->> 'acceptedUntil')::float8")}
      from jsonb_array_elements($1::jsonb) with ordinality as list (key, place) order by place`,
    rowsOf: (record) => JSON.stringify(record),
  };
}

export function archivedMacros({ macroVersions }: Tables): ArchivedTable<"macros"> {
  const members = {
    name: "name",
    version: "version",
    text: "text",
    language: "language",
    changedAt: milliseconds("changed_at"),
    changedBy: "changed_by",
  };
  return {
    rows: macroVersions,
    key: { column: "position", type: "bigint" },
    size: "(100 + coalesce(octet_length(text), 0))",
    line: jsonLine(members),
    recordOf: (line) => ({ section: "macros", ...(JSON.parse(line) as Omit<RecordOf<"macros">, "section">) }),
    insert: `insert into ${macroVersions} (name, version, text, language, changed_at, changed_by)
      select macro ->> 'name', (macro ->> 'version')::integer, macro ->> 'text', macro ->> 'language',
        ${timeOf("(macro ->> 'changedAt')::float8")}, macro ->> 'changedBy'
      from jsonb_array_elements($1::jsonb) with ordinality as list (macro, place) order by place`,
    rowsOf: (record) => JSON.stringify(record),
  };
}
