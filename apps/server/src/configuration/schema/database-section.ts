import { isAlias } from "@sallyport/contract";
import * as z from "zod";
import {
  choice,
  duration,
  flag,
  jsonObject,
  listOf,
  moduleReference,
  path,
  text,
  wholeNumber,
} from "../field-kinds.ts";
import { field, optionalField, optionalSection, section } from "../fields.ts";
import { ownConsoleSection } from "./console-section.ts";
import { ownMacrosSection } from "./macros-section.ts";
import { isConnectionString } from "./network-texts.ts";
import {
  ownAuditSection,
  ownClientHash,
  ownDevicesSection,
  ownExplanationsSection,
  ownLocksSection,
  ownObjectsSection,
  ownRatesSection,
  ownSessionsSection,
  ownSyncSection,
  ownThrottleSection,
} from "./policy-sections.ts";

/** A connection string. Its error does not repeat the value. */
export const connectionString = text({
  expected:
    "a connection string such as postgres://user:password@host:5432/database or mariadb://user:password@host:3306/database",
  fits: isConnectionString,
});

/** Connection strings of replicas. */
export const replicaUrls = listOf(connectionString);

const schemaName = text({
  expected: "a lowercase letter or _, then lowercase letters, digits and _, at most 63 in all, not beginning with pg_",
  fits: isSchemaName,
});

const aliasText = text({
  expected:
    "empty, or a lowercase letter, then lowercase letters, digits, _ and -, at most 63 in all, and none of the reserved words (v1, v2, admin, docs, healthz, readyz, metrics)",
  fits: (alias) => alias === "" || isAlias(alias),
});

const poolSection = section({
  max: field(null, wholeNumber(1, 1_000), 10, { doc: "Maximum number of connections." }),
  acquireTimeout: field(null, duration("10ms", "10m"), "5s", {
    doc: "Maximum time that a request waits for a connection. Then it fails with 607.",
  }),
  maxWaiting: field(null, wholeNumber(0, 100_000), 1_000, {
    doc: "Maximum number of requests that wait for a connection. Further requests fail with 607.",
  }),
});

const storageSection = optionalSection({
  engine: optionalField(null, choice("postgres", "mariadb", "embedded", "memory", "module"), {
    doc: "Storage engine: `postgres` and `mariadb` connect to a database server, `embedded` runs PostgreSQL inside this process, `memory` keeps nothing after a restart, `module` loads a custom adapter. Defaults to the scheme of the connection string.",
  }),
  url: optionalField(null, connectionString, {
    secret: true,
    doc: "Connection string: `postgres://`, `mariadb://` or `mysql://`. A Postgres can have several hosts: `postgres://a,b/db`. Defaults to `databaseUrl`.",
  }),
  urlFile: optionalField(null, path(), { doc: "File with the connection string. Use it instead of `url`." }),
  readUrls: optionalField(null, replicaUrls, {
    secret: true,
    doc: "Connection strings of Postgres standbys that answer lists, one host each. Without `url` and `urlFile`, they default to `databaseReadUrls`.",
  }),
  schema: optionalField(null, schemaName, {
    doc: "Postgres schema, or MariaDB database. Defaults to `sallyport` for the empty alias and `sallyport_<alias>` for others. On MariaDB, the database of the connection string replaces `sallyport`.",
  }),
  dataDir: optionalField(null, path(), {
    doc: "Data directory of the engine `embedded`. Defaults to the top-level `dataDir`.",
  }),
  module: optionalField(null, moduleReference(), {
    doc: "Adapter of the engine `module`, which exports `openKernel`. A package is resolved from the working directory.",
  }),
  options: optionalField(null, jsonObject(), {
    secret: true,
    doc: "Options that the engine `module` passes to `openKernel`. Defaults to `{}`.",
  }),
  pool: poolSection,
  statementTimeout: optionalField(null, duration("10ms", "1h"), {
    doc: "Maximum duration of a statement. Defaults to `30s` on `postgres` and `mariadb`, and to `5s` on `embedded`, which runs one statement at a time. Databases in one directory must have the same value.",
  }),
  afterLossyFailover: optionalField(null, choice("refuse", "warn"), {
    doc: "Handling of a failover of Postgres that may have lost acknowledged writes: `refuse` fails requests with 705 until `sallyport-server recover` has run, `warn` serves them and logs a warning. Defaults to `refuse`.",
  }),
  migrateOnStart: optionalField(null, flag(), {
    doc: "Applies pending migrations when the server starts. Enabled by default, except on `postgres` and `mariadb`.",
  }),
});

/** Whether a text is a valid Postgres schema or MariaDB database name. */
export function isSchemaName(name: string): boolean {
  return /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** One database of the server. */
export const databaseSection = z.strictObject(
  {
    alias: field(null, aliasText, "", {
      doc: "First path segment of the URLs of this database. One database can have the empty alias.",
    }),
    name: optionalField(null, text(), {
      doc: "`databaseName` in log-in responses. Defaults to the alias, or `sallyport` if it is empty.",
    }),
    timeZone: field(
      null,
      text({ expected: "the name of a time zone such as Europe/Berlin", fits: isTimeZone }),
      "UTC",
      {
        doc: "IANA time zone of `~StoreTime`.",
      },
    ),
    storage: storageSection,
    clientHash: ownClientHash,
    sessions: ownSessionsSection,
    rates: ownRatesSection,
    locks: ownLocksSection,
    objects: ownObjectsSection,
    devices: ownDevicesSection,
    throttle: ownThrottleSection,
    audit: ownAuditSection,
    explanations: ownExplanationsSection,
    sync: ownSyncSection,
    macros: ownMacrosSection,
    console: ownConsoleSection,
  },
  { error: "must be an object" },
);

/** A look-up takes half a millisecond, and many databases have the same zone. */
const zones = new Map<string, boolean>();

function isTimeZone(name: string): boolean {
  const isZone = zones.get(name) ?? isInCalendar(name);
  zones.set(name, isZone);
  return isZone;
}

function isInCalendar(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
