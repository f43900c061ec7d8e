import { acceptSchemaName } from "./schema-name.ts";

/** The quoted, schema-qualified names of everything that a storage keeps. */
export interface Tables {
  /** The schema itself, unquoted. */
  readonly schema: string;
  readonly accounts: string;
  readonly appKeys: string;
  readonly applications: string;
  readonly audit: string;
  readonly auditTallies: string;
  readonly channels: string;
  readonly cipherBlocks: string;
  readonly classes: string;
  readonly keys: string;
  /** A function. */
  readonly linkedObjects: string;
  readonly migrations: string;
  readonly objectCounts: string;
  readonly objectIds: string;
  readonly objects: string;
  /** A function. */
  readonly openSession: string;
  /** A function. */
  readonly passThrottle: string;
  readonly sessionCounts: string;
  readonly sessions: string;
  readonly settings: string;
  readonly throttle: string;
}

/** The names in one schema; nothing relies on the search path. */
export function tablesOf(schema: string): Tables {
  const name = (table: string) => `"${acceptSchemaName(schema)}"."${table}"`;
  return {
    schema,
    accounts: name("accounts"),
    appKeys: name("app_keys"),
    applications: name("applications"),
    audit: name("audit"),
    auditTallies: name("audit_tallies"),
    channels: name("channels"),
    cipherBlocks: name("cipher_blocks"),
    classes: name("classes"),
    keys: name("keys"),
    linkedObjects: name("linked_objects"),
    migrations: name("migrations"),
    objectCounts: name("object_counts"),
    objectIds: name("object_ids"),
    objects: name("objects"),
    openSession: name("open_session"),
    passThrottle: name("pass_throttle"),
    sessionCounts: name("session_counts"),
    sessions: name("sessions"),
    settings: name("settings"),
    throttle: name("throttle"),
  };
}
