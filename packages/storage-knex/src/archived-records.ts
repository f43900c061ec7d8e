import {
  type ArchiveRecord,
  type ArchiveSection,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/core";

/** Sections that are tables; the settings are none. */
export type TableSection = Exclude<ArchiveSection, "settings">;

/** Sections whose records are rows of one table, member by column. */
export type PlainSection = Exclude<TableSection, "classes" | "objects" | "links" | "tombstones">;

/**
 * What a column holds: `digest` bytes that are hexadecimal in the record, `json` JSON that keeps its text, `jsonb` JSON that need not,
 * `object` the number of the object whose id the record has, `time` the time that the record has in milliseconds since 1970.
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

/** A member of the records of a section, in the order of the record. */
interface ArchivedColumn {
  readonly member: string;
  readonly column: string;
  readonly type: ColumnType;
  /** What is exported, where it is not the column itself. */
  readonly expression?: string;
}

type Columns<Section extends PlainSection> = {
  readonly [Member in keyof Omit<RecordOf<Section>, "section">]-?: readonly [
    column: string,
    type: ColumnType,
    expression?: string,
  ];
};

/** What events and tallies share. */
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

type ArchivedNames =
  | "accounts"
  | "appKeys"
  | "audit"
  | "auditTallies"
  | "customAccounts"
  | "tombstones"
  | "links"
  | "objects";

/** The tables that an import finds empty, beside that of the records. */
export function tablesToFill(tables: Readonly<Record<ArchivedNames, string>>): string[] {
  const { accounts, appKeys, audit, auditTallies, customAccounts, tombstones, links, objects } = tables;
  return [accounts, appKeys, audit, auditTallies, customAccounts, tombstones, links, objects];
}

/** Selects as `empty` whether there is nothing that an archive could hold; `never` is when records end that stay. */
export function emptinessText(
  tables: Readonly<Record<ArchivedNames | "records" | "settings", string>>,
  never: string,
): string {
  const contents = [...tablesToFill(tables), `${tables.records} where expires_at = ${never}`];
  const nothing = contents.map((source) => `not exists (select 1 from ${source})`);
  return `select model_generation = 1 and ${nothing.join(" and ")} as empty from ${tables.settings}`;
}

export interface SettingsRow {
  readonly maintenance: boolean;
  readonly generation: string | number;
  readonly macro_generation: string | number;
  readonly objects: string | number;
  readonly last_object: string | number;
  readonly last_audit: string | number;
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
  };
}

/** The record of the links of one object, from the attribute and the number of the target of each. */
export function linksOf(source: number, pairs: readonly (readonly [string, number])[]): RecordOf<"links"> {
  const links = new Map<string, ObjectId[]>();
  for (const [attribute, target] of pairs) {
    const targets = links.get(attribute);
    if (targets === undefined) links.set(attribute, [objectIdOf(target)]);
    else targets.push(objectIdOf(target));
  }
  return { section: "links", id: objectIdOf(source), links: Object.fromEntries(links) };
}

/** Number of the source, attribute and number of the target of each link. */
export function linkRows({ id, links }: RecordOf<"links">): [number, string, number][] {
  return Object.entries(links).flatMap(([attribute, targets]) =>
    targets.map((target): [number, string, number] => [objectNumber(id), attribute, objectNumber(target)]),
  );
}

/** Adds the records of one section. */
export interface SectionWriter {
  /** Answers a promise when it has to be awaited before more is added. */
  add(record: ArchiveRecord): Promise<void> | undefined;
  /** Resolves when everything that was added is in the database. */
  end(): Promise<void>;
}

/** Writes the records as they come; gives the settings among them. */
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
