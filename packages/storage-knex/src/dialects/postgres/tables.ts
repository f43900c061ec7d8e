const names = {
  // Tables.
  accounts: "accounts",
  appKeys: "app_keys",
  audit: "audit",
  auditTallies: "audit_tallies",
  channels: "channels",
  cipherBlocks: "cipher_blocks",
  classes: "classes",
  customAccounts: "custom_accounts",
  departures: "departures",
  links: "links",
  locks: "locks",
  migrations: "migrations",
  objectCounts: "object_counts",
  objects: "objects",
  records: "records",
  sessionCounts: "session_counts",
  sessions: "sessions",
  settings: "settings",
  throttle: "throttle",
  // Sequences.
  objectIds: "object_ids",
  recordVersions: "record_versions",
  // Functions.
  holdObjects: "hold_objects",
  insertObject: "insert_object",
  insertObjects: "insert_objects",
  linkedObjects: "linked_objects",
  objectNumber: "object_number",
  openSession: "open_session",
  passThrottle: "pass_throttle",
  putRecord: "put_record",
  releaseLock: "release_lock",
  removeAccounts: "remove_accounts",
  stampOffset: "stamp_offset",
  stampRow: "stamp_row",
  takeLock: "take_lock",
  updateObjects: "update_objects",
} as const;

type Names = Readonly<Record<keyof typeof names, string>>;

/** The quoted, schema-qualified names of everything that a storage keeps. */
export interface Tables extends Names {
  /** The schema itself, unquoted. */
  readonly schema: string;
}

/** The names in one schema; nothing relies on the search path. */
export function tablesOf(schema: string): Tables {
  const accepted = acceptSchemaName(schema);
  const quoted = Object.entries(names).map(([member, name]) => [member, `"${accepted}"."${name}"`]);
  return { schema, ...(Object.fromEntries(quoted) as Names) };
}

const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Accepts the name of a schema. Names of the system are refused, and so is everything that would need care inside
 * quotes: the name becomes part of SQL texts.
 */
export function acceptSchemaName(name: string): string {
  if (!schemaName.test(name) || name.startsWith("pg_") || name === "information_schema") {
    throw new Error(
      "A schema name is made of at most 63 lowercase letters, digits and underscores, and is none of the system's.",
    );
  }
  return name;
}
