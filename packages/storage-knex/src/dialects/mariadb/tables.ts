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
  objectSeries: "object_series",
  recordGates: "record_gates",
  records: "records",
  sessionGates: "session_gates",
  sessions: "sessions",
  settings: "settings",
  throttle: "throttle",
  valueIndexes: "value_indexes",
  // Sequences.
  objectNumbers: "object_numbers",
  recordVersions: "record_versions",
  // Procedures.
  acceptNumber: "accept_number",
  admitReturn: "admit_return",
  attemptThrottle: "attempt_throttle",
  claimBlocks: "claim_blocks",
  failThrottle: "fail_throttle",
  openSession: "open_session",
  passThrottle: "pass_throttle",
  putRecord: "put_record",
  removeAccounts: "remove_accounts",
  reserveNumbers: "reserve_numbers",
  settleTallies: "settle_tallies",
  sweepAudit: "sweep_audit",
} as const;

type Names = Readonly<Record<keyof typeof names, string>>;

/** The quoted names of everything that a storage keeps, with that of the database before them. */
export interface Tables extends Names {
  /** The database itself, unquoted. */
  readonly database: string;
}

/** The names in one database; nothing relies on the one that a connection has chosen. */
export function tablesOf(database: string): Tables {
  return { database, ...namesWith(`\`${acceptDatabaseName(database)}\`.`) };
}

function namesWith(prefix: string): Names {
  const quoted = Object.entries(names).map(([member, name]) => [member, `${prefix}\`${name}\``]);
  return Object.fromEntries(quoted) as Names;
}

/**
 * The names as procedures know them, to which their own database is the chosen one: a backup may come back as a database with
 * another name.
 */
export const ownTables: Omit<Tables, "database"> = namesWith("");

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
