import { type Names, quotedNames } from "../../schema.ts";

const tables = [
  "leases",
  "objectSeries",
  "recordLockRows",
  "sessionLockRows",
  "sessionNames",
  "valueColumns",
  "valueIndexes",
] as const;
const sequences = ["objectNumbers"] as const;
const accessProcedures = [
  "acceptNumber",
  "admitCallback",
  "attemptThrottle",
  "registerBlocks",
  "failThrottle",
] as const;
const otherProcedures = ["reserveNumbers", "settleTallies", "sweepAudit"] as const;
const own = [...tables, ...sequences, ...accessProcedures, ...otherProcedures];

/** The quoted names of all tables, sequences and procedures, qualified by the database. */
export interface Tables extends Names<(typeof own)[number]> {
  /** The database itself, unquoted. */
  readonly database: string;
}

/** The qualified names in one database, independent of the connection's default database. */
export function tablesOf(database: string): Tables {
  return { database, ...namesWith(`\`${acceptDatabaseName(database)}\`.`) };
}

function namesWith(prefix: string): Names<(typeof own)[number]> {
  return quotedNames(own, (name) => `${prefix}\`${name}\``);
}

/**
 * The unqualified names for procedures, whose default database is their own: a backup can be restored under another
 * name.
 */
export const ownTables: Omit<Tables, "database"> = namesWith("");

const databaseName = /^[a-z_][a-z0-9_]{0,62}$/;
const ofTheSystem = new Set(["information_schema", "mysql", "performance_schema", "sys"]);

/**
 * Validates a database name, which becomes part of SQL texts. Refuses system databases and every name that needs
 * quoting or differs from another one only by case.
 */
export function acceptDatabaseName(name: string): string {
  if (!databaseName.test(name) || ofTheSystem.has(name)) {
    throw new Error(
      "A database name must have at most 63 lowercase letters, digits and underscores, and must not be a system database.",
    );
  }
  return name;
}

/** Characters of a text that fit into an index. */
export const maxNameLength = 768;

/** Boolean columns, which the engine stores as numbers. A name has the same type in every statement. */
const booleanColumns = new Set([
  "administrator",
  "allowed",
  "confirmed",
  "disabled",
  "due",
  "empty",
  "enabled",
  "enrolling",
  "key_enabled",
  "known",
  "maintenance",
  "old",
  "raised",
  "recycled",
  "reserved",
  "present",
]);

/** JSON columns, which the engine stores as text. */
const jsonColumns = new Set([
  "app_names",
  "attributes",
  "changes",
  "classes",
  "definition",
  "groups",
  "key_app_names",
  "key_origins",
  "key_return_addresses",
  "link_value",
  "origins",
  "payload",
  "position",
  "readers",
  "readers_before",
  "recovery_codes",
  "reserved_names",
  "return_addresses",
  "secrets",
  "value",
]);

export type Row = Record<string, unknown>;

/** Converts booleans and JSON to their values. Changes the rows in place. */
export function withValues(rows: Row[]): Row[] {
  const [first] = rows;
  if (first === undefined) return rows;
  const names = Object.keys(first);
  const booleanNames = names.filter((name) => booleanColumns.has(name));
  const jsonNames = names.filter((name) => jsonColumns.has(name));
  for (const row of rows) {
    for (const name of booleanNames) if (row[name] !== null) row[name] = Number(row[name]) === 1;
    for (const name of jsonNames) if (typeof row[name] === "string") row[name] = JSON.parse(row[name]);
  }
  return rows;
}
