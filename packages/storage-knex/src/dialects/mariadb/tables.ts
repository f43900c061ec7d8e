/** The quoted names of everything that a storage keeps, with that of the database before them. */
export interface Tables {
  /** The database itself, unquoted. */
  readonly database: string;
  /** A procedure. */
  readonly acceptNumber: string;
  readonly accounts: string;
  /** A procedure. */
  readonly admitReturn: string;
  readonly appKeys: string;
  /** A procedure. */
  readonly attemptThrottle: string;
  readonly audit: string;
  readonly auditTallies: string;
  readonly channels: string;
  readonly cipherBlocks: string;
  /** A procedure. */
  readonly claimBlocks: string;
  readonly classes: string;
  readonly customAccounts: string;
  readonly departures: string;
  /** A procedure. */
  readonly failThrottle: string;
  readonly links: string;
  readonly locks: string;
  readonly migrations: string;
  readonly objectCounts: string;
  /** A sequence. */
  readonly objectNumbers: string;
  readonly objects: string;
  readonly objectSeries: string;
  /** A procedure. */
  readonly openSession: string;
  /** A procedure. */
  readonly passThrottle: string;
  /** A procedure. */
  readonly putRecord: string;
  readonly recordGates: string;
  readonly records: string;
  /** A sequence. */
  readonly recordVersions: string;
  /** A procedure. */
  readonly removeAccounts: string;
  /** A procedure. */
  readonly reserveNumbers: string;
  readonly sessionGates: string;
  readonly sessions: string;
  readonly settings: string;
  /** A procedure. */
  readonly settleTallies: string;
  /** A procedure. */
  readonly sweepAudit: string;
  readonly throttle: string;
  readonly valueIndexes: string;
}

/** The names in one database; nothing relies on the one that a connection has chosen. */
export function tablesOf(database: string): Tables {
  return { database, ...namesWith(`\`${acceptDatabaseName(database)}\`.`) };
}

/**
 * The names as procedures know them, to which their own database is the chosen one: a backup may come back as a database with
 * another name.
 */
export const ownTables: Omit<Tables, "database"> = namesWith("");

function namesWith(prefix: string): Omit<Tables, "database"> {
  const name = (table: string) => `${prefix}\`${table}\``;
  return {
    acceptNumber: name("accept_number"),
    accounts: name("accounts"),
    admitReturn: name("admit_return"),
    appKeys: name("app_keys"),
    attemptThrottle: name("attempt_throttle"),
    audit: name("audit"),
    auditTallies: name("audit_tallies"),
    channels: name("channels"),
    cipherBlocks: name("cipher_blocks"),
    claimBlocks: name("claim_blocks"),
    classes: name("classes"),
    customAccounts: name("custom_accounts"),
    departures: name("departures"),
    failThrottle: name("fail_throttle"),
    links: name("links"),
    locks: name("locks"),
    migrations: name("migrations"),
    objectCounts: name("object_counts"),
    objectNumbers: name("object_numbers"),
    objects: name("objects"),
    objectSeries: name("object_series"),
    openSession: name("open_session"),
    passThrottle: name("pass_throttle"),
    putRecord: name("put_record"),
    recordGates: name("record_gates"),
    records: name("records"),
    recordVersions: name("record_versions"),
    removeAccounts: name("remove_accounts"),
    reserveNumbers: name("reserve_numbers"),
    sessionGates: name("session_gates"),
    sessions: name("sessions"),
    settings: name("settings"),
    settleTallies: name("settle_tallies"),
    sweepAudit: name("sweep_audit"),
    throttle: name("throttle"),
    valueIndexes: name("value_indexes"),
  };
}

const databaseName = /^[a-z_][a-z0-9_]{0,62}$/;
const ofTheSystem = new Set(["information_schema", "mysql", "performance_schema", "sys"]);

/**
 * Accepts the name of a database on the server. Names of the system are refused, and so is everything that would need care
 * inside quotes or differs from another name by case: the name becomes part of SQL texts.
 */
export function acceptDatabaseName(name: string): string {
  if (!databaseName.test(name) || ofTheSystem.has(name)) {
    throw new Error(
      "The name of a database is made of at most 63 lowercase letters, digits and underscores, and is none of the system's.",
    );
  }
  return name;
}

/** Characters of a text that fit into an index. */
export const longestName = 768;
