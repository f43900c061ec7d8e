import {
  type ArchiveRecord,
  type ArchiveSection,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/storage";
import type { SqlValue } from "./sql-runner.ts";

/** Sections that are tables; the settings are not. */
export type TableSection = Exclude<ArchiveSection, "settings">;

/** Sections whose records are rows of one table, one member per column. */
export type PlainSection = Exclude<TableSection, "classes" | "objects" | "links" | "tombstones" | "formerReaders">;

/**
 * The content of a column: `digest` bytes, hexadecimal in the record; `json` JSON with its text preserved; `jsonb` JSON
 * without; `object` an object number, the id in the record; `time` a time, milliseconds since 1970 in the record.
 */
export type ColumnType =
  | "bigint"
  | "boolean"
  | "digest"
  | "integer"
  | "json"
  | "jsonb"
  | "object"
  | "text"
  | "time"
  | "uuid";

/** A member of the records of a section, in record order. */
export interface ArchivedColumn {
  readonly member: string;
  readonly column: string;
  readonly type: ColumnType;
  /** The exported expression, if it is not the column itself. */
  readonly expression?: string;
}

type Columns<Section extends PlainSection> = {
  readonly [Member in keyof Omit<RecordOf<Section>, "section">]-?: readonly [
    column: string,
    type: ColumnType,
    expression?: string,
  ];
};

/** Members that events and tallies share. */
const event = {
  at: ["at", "time"],
  since: ["since", "time", "coalesce(since, at)"],
  attempts: ["attempts", "bigint"],
  type: ["type", "text"],
  requestId: ["request_id", "text"],
  outcome: ["outcome", "integer"],
  appKeyId: ["app_key_id", "text"],
  actorId: ["actor_id", "object"],
  subjectId: ["subject_id", "object"],
  address: ["address", "text"],
  appNames: ["app_names", "jsonb"],
  className: ["class_name", "text"],
  macroName: ["macro_name", "text"],
  providerName: ["provider_name", "text"],
  changes: ["changes", "json"],
} as const;

const sections: { readonly [Section in PlainSection]: Columns<Section> } = {
  appKeys: {
    id: ["id", "text"],
    name: ["name", "text"],
    enabled: ["enabled", "boolean"],
    appNames: ["app_names", "jsonb"],
    origins: ["origins", "jsonb"],
    returnAddresses: ["return_addresses", "jsonb"],
    digest: ["digest", "digest"],
  },
  accounts: {
    userId: ["user_id", "object"],
    loginName: ["login_name", "text"],
    confusableKey: ["confusable_key", "text"],
    secret: ["secret", "text"],
    secretVersion: ["secret_version", "integer"],
    administrator: ["administrator", "boolean"],
    disabled: ["disabled", "boolean"],
    email: ["email", "text"],
  },
  customAccounts: {
    id: ["id", "uuid"],
    loginName: ["login_name", "text"],
    userId: ["user_id", "object"],
    email: ["email", "text"],
    secret: ["secret", "text"],
    secretVersion: ["secret_version", "integer"],
    disabled: ["disabled", "boolean"],
    confusableKey: ["confusable_key", "text"],
  },
  sweptObjects: { id: ["oid", "object"], uuid: ["uuid", "uuid"] },
  records: {
    kind: ["kind", "text"],
    id: ["id", "text"],
    owner: ["owner", "text"],
    value: ["value", "json"],
    createdAt: ["created_at", "time"],
  },
  audit: { sequence: ["sequence", "bigint"], ...event },
  tallies: { key: ["key", "text"], ...event },
};

export function archivedColumns(section: PlainSection): ArchivedColumn[] {
  return Object.entries(sections[section]).map(([member, [column, type, expression]]) => ({
    member,
    column,
    type,
    ...(expression === undefined ? {} : { expression }),
  }));
}

/** The members of a row with these columns. */
export function membersOf(columns: readonly ArchivedColumn[], row: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(columns.map(({ member, column, type }) => [member, memberOf(row[column], type)]));
}

function memberOf(value: unknown, type: ColumnType): unknown {
  if (value === null) return null;
  if (type === "object") return objectIdOf(Number(value));
  return type === "bigint" || type === "time" ? Number(value) : value;
}

/** The value of a column as a parameter of a statement. */
export function valueOf(member: unknown, type: Exclude<ColumnType, "time">): SqlValue {
  if (type === "json") return JSON.stringify(member);
  if (member === null) return null;
  switch (type) {
    case "digest":
      return Buffer.from(member as string, "hex");
    case "jsonb":
      return JSON.stringify(member);
    case "object":
      return objectNumber(member as ObjectId);
    default:
      return member as SqlValue;
  }
}

type ArchivedNames =
  | "accounts"
  | "appKeys"
  | "audit"
  | "auditTallies"
  | "customAccounts"
  | "formerReaders"
  | "sweptObjects"
  | "tombstones"
  | "links"
  | "objects";

/** The tables, besides that of the records, that must be empty for an import. */
export function tablesToFill(tables: Readonly<Record<ArchivedNames, string>>): string[] {
  const { accounts, appKeys, audit, auditTallies, customAccounts, links, objects } = tables;
  const { formerReaders, sweptObjects, tombstones } = tables;
  return [
    accounts,
    appKeys,
    audit,
    auditTallies,
    customAccounts,
    formerReaders,
    sweptObjects,
    tombstones,
    links,
    objects,
  ];
}

/** Selects as `empty` whether the model is that of the migration and each of these sources, tables with conditions, has no row. */
export function nothingIn(sources: readonly string[], settings: string): string {
  const nothing = sources.map((source) => `not exists (select 1 from ${source})`);
  return `select model_generation = 1 and ${nothing.join(" and ")} as empty from ${settings}`;
}

/** Selects as `empty` whether the database contains nothing to archive. `never` is the expiry of permanent records. */
export function emptinessText(
  tables: Readonly<Record<ArchivedNames | "records" | "settings", string>>,
  never: string,
): string {
  return nothingIn([...tablesToFill(tables), `${tables.records} where expires_at = ${never}`], tables.settings);
}

export interface SettingsRow {
  readonly maintenance: boolean;
  readonly generation: string | number;
  readonly macro_generation: string | number;
  readonly objects: string | number;
  readonly last_object: string | number;
  readonly last_audit: string | number;
  readonly swept_stamp: string | number;
}

export function settingsOf(row: SettingsRow): RecordOf<"settings"> {
  return {
    section: "settings",
    maintenance: row.maintenance,
    modelGeneration: Number(row.generation),
    macroGeneration: Number(row.macro_generation),
    objects: Number(row.objects),
    lastObject: Number(row.last_object),
    lastAudit: Number(row.last_audit),
    sweptStamp: Number(row.swept_stamp),
  };
}

/** The record of the links of one object, from pairs of an attribute and a target number. */
export function linksOf(source: number, pairs: readonly (readonly [string, number])[]): RecordOf<"links"> {
  const links = new Map<string, ObjectId[]>();
  for (const [attribute, target] of pairs) {
    const targets = links.get(attribute);
    if (targets === undefined) links.set(attribute, [objectIdOf(target)]);
    else targets.push(objectIdOf(target));
  }
  return { section: "links", id: objectIdOf(source), links: Object.fromEntries(links) };
}

/** Source number, attribute and target number of each link. */
export function linkRows({ id, links }: RecordOf<"links">): [number, string, number][] {
  return Object.entries(links).flatMap(([attribute, targets]) =>
    targets.map((target): [number, string, number] => [objectNumber(id), attribute, objectNumber(target)]),
  );
}

/** Writes the records of one section. */
export interface SectionWriter {
  /** Returns a promise if the caller must await it before the next record. */
  add(record: ArchiveRecord): Promise<void> | undefined;
  /** Resolves when all added records are in the database. */
  end(): Promise<void>;
}

/** Writes the records as they arrive. Returns the settings among them. */
export async function writeRecords(
  records: AsyncIterable<ArchiveRecord>,
  writeSettings: (settings: RecordOf<"settings">) => Promise<void>,
  writerOf: (section: TableSection) => SectionWriter,
): Promise<RecordOf<"settings"> | undefined> {
  let settings: RecordOf<"settings"> | undefined;
  let writer: SectionWriter | undefined;
  let current: string | undefined;
  for await (const record of records) {
    if (record.section === "settings") {
      settings = record;
      await writeSettings(record);
      continue;
    }
    if (record.section !== current) {
      await writer?.end();
      current = record.section;
      writer = writerOf(record.section);
    }
    const full = writer?.add(record);
    if (full !== undefined) await full;
  }
  await writer?.end();
  return settings;
}
