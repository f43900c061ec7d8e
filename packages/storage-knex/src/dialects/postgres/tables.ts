/** The quoted, schema-qualified names of everything that a storage keeps. */
export interface Tables {
  /** The schema itself, unquoted. */
  readonly schema: string;
  readonly accounts: string;
  readonly appKeys: string;
  readonly audit: string;
  readonly auditTallies: string;
  readonly channels: string;
  readonly cipherBlocks: string;
  readonly classes: string;
  readonly customAccounts: string;
  readonly departures: string;
  /** A function. */
  readonly holdObjects: string;
  /** A function. */
  readonly insertObject: string;
  /** A function. */
  readonly insertObjects: string;
  /** A function. */
  readonly linkedObjects: string;
  readonly links: string;
  readonly locks: string;
  readonly migrations: string;
  readonly objectCounts: string;
  readonly objectIds: string;
  /** A function. */
  readonly objectNumber: string;
  readonly objects: string;
  /** A function. */
  readonly openSession: string;
  /** A function. */
  readonly passThrottle: string;
  /** A function. */
  readonly putRecord: string;
  readonly records: string;
  /** A sequence. */
  readonly recordVersions: string;
  /** A function. */
  readonly releaseLock: string;
  /** A function. */
  readonly removeAccounts: string;
  readonly sessionCounts: string;
  readonly sessions: string;
  readonly settings: string;
  /** A function. */
  readonly stampOffset: string;
  /** A function. */
  readonly stampRow: string;
  /** A function. */
  readonly takeLock: string;
  readonly throttle: string;
  /** A function. */
  readonly updateObjects: string;
}

/** The names in one schema; nothing relies on the search path. */
export function tablesOf(schema: string): Tables {
  const name = (table: string) => `"${acceptSchemaName(schema)}"."${table}"`;
  return {
    schema,
    accounts: name("accounts"),
    appKeys: name("app_keys"),
    audit: name("audit"),
    auditTallies: name("audit_tallies"),
    channels: name("channels"),
    cipherBlocks: name("cipher_blocks"),
    classes: name("classes"),
    customAccounts: name("custom_accounts"),
    departures: name("departures"),
    holdObjects: name("hold_objects"),
    insertObject: name("insert_object"),
    insertObjects: name("insert_objects"),
    linkedObjects: name("linked_objects"),
    links: name("links"),
    locks: name("locks"),
    migrations: name("migrations"),
    objectCounts: name("object_counts"),
    objectIds: name("object_ids"),
    objectNumber: name("object_number"),
    objects: name("objects"),
    openSession: name("open_session"),
    passThrottle: name("pass_throttle"),
    putRecord: name("put_record"),
    records: name("records"),
    recordVersions: name("record_versions"),
    releaseLock: name("release_lock"),
    removeAccounts: name("remove_accounts"),
    sessionCounts: name("session_counts"),
    sessions: name("sessions"),
    settings: name("settings"),
    stampOffset: name("stamp_offset"),
    stampRow: name("stamp_row"),
    takeLock: name("take_lock"),
    throttle: name("throttle"),
    updateObjects: name("update_objects"),
  };
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
