import { isAlias } from "@sallyport/http";
import * as z from "zod";
import { choice, duration, flag, jsonObject, moduleReference, path, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, optionalSection, section } from "../fields.ts";
import { ownMacrosSection } from "./macros-section.ts";
import { engineOfUrl } from "./network-texts.ts";
import {
  ownAuditSection,
  ownClientHash,
  ownLocksSection,
  ownObjectsSection,
  ownSessionsSection,
  ownThrottleSection,
} from "./policy-sections.ts";

/** A connection string; its refusal repeats nothing of it. */
export const connectionString = text({
  wanted:
    "a connection string such as postgres://user:password@host:5432/database or mariadb://user:password@host:3306/database",
  fits: (url) => engineOfUrl(url) !== undefined,
});

const schemaName = text({
  wanted: "a lowercase letter or _, then lowercase letters, digits and _, at most 63 in all, not beginning with pg_",
  fits: isSchemaName,
});

const aliasText = text({
  wanted:
    "empty, or a lowercase letter, then lowercase letters, digits, _ and -, at most 63 in all, and no word that begins addresses of the server (v1, v2, admin, docs, healthz, readyz, metrics)",
  fits: (alias) => alias === "" || isAlias(alias),
});

const poolSection = section({
  max: field(null, wholeNumber(1, 1_000), 10, { doc: "Connections at most." }),
  acquireTimeout: field(null, duration("10ms", "10m"), "5s", {
    doc: "How long a request waits for a connection before it is answered 607.",
  }),
  maxWaiting: field(null, wholeNumber(0, 100_000), 500, {
    doc: "Requests waiting for a connection; more are answered 607 at once.",
  }),
});

const storageSection = optionalSection({
  engine: optionalField(null, choice("postgres", "mariadb", "embedded", "memory", "module"), {
    doc: "`postgres`, `mariadb`: a server; unless given, the one that the connection string names. `embedded`: a Postgres inside of this process, in a directory; `memory`: nothing is kept; `module`: an adapter of your own.",
  }),
  url: optionalField(null, connectionString, {
    secret: true,
    doc: "Connection string of the server, `postgres://` or `mariadb://` (also `mysql://`); `databaseUrl` unless given.",
  }),
  urlFile: optionalField(null, path(), { doc: "File that holds the connection string, instead of `url`." }),
  schema: optionalField(null, schemaName, {
    doc: "Schema of this database, on MariaDB the name of the database that it is; `sallyport`, or `sallyport_` and the alias, unless given. On MariaDB the database that the connection string names comes in the place of `sallyport`.",
  }),
  dataDir: optionalField(null, path(), { doc: "Directory of the embedded engine; the common `dataDir` unless given." }),
  module: optionalField(null, moduleReference(), {
    doc: "Of the engine `module`: the adapter, which exports `openStorage`. A package is looked for from the working directory.",
  }),
  options: optionalField(null, jsonObject(), {
    secret: true,
    doc: "Of the engine `module`: what `openStorage` is given; `{}` unless given.",
  }),
  pool: poolSection,
  statementTimeout: optionalField(null, duration("10ms", "1h"), {
    doc: "Maximum time of a statement: 30 seconds by default on `postgres` and `mariadb`, 5 seconds on `embedded`, which runs one statement at a time. Databases in one directory share the value.",
  }),
  migrateOnStart: optionalField(null, flag(), {
    doc: "Brings the database to the newest version when the server starts; unless given, all engines but `postgres` and `mariadb`.",
  }),
});

/** Whether a text names a schema of Postgres, or a database of MariaDB. */
export function isSchemaName(name: string): boolean {
  return /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** One database that the server serves. */
export const databaseSection = z.strictObject(
  {
    alias: field(null, aliasText, "", { doc: "First part of its addresses; one database may have none." }),
    name: optionalField(null, text(), {
      doc: "`databaseName` of log-in answers; the alias, or `sallyport`, unless given.",
    }),
    timeZone: field(null, text({ wanted: "the name of a time zone such as Europe/Berlin", fits: isTimeZone }), "UTC", {
      doc: "IANA name of the zone in which `~StoreTime` is written.",
    }),
    storage: storageSection,
    clientHash: ownClientHash,
    sessions: ownSessionsSection,
    locks: ownLocksSection,
    objects: ownObjectsSection,
    throttle: ownThrottleSection,
    audit: ownAuditSection,
    macros: ownMacrosSection,
  },
  { error: "must be an object" },
);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
