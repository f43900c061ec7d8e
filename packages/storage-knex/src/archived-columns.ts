import type { ArchiveSection, RecordOf } from "@sallyport/core";

/** Sections that are tables; the settings are none. */
export type TableSection = Exclude<ArchiveSection, "settings">;

/** Sections whose records are rows of one table, member by column. */
export type PlainSection = Exclude<TableSection, "classes" | "objects" | "links" | "departures">;

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
  userId: ["user_id", "object"],
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
