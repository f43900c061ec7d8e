import { type Names, quotedNames } from "../../schema.ts";

const tables = ["objectSeries", "recordLockRows", "sessionLockRows", "valueIndexes"] as const;
const sequences = ["objectNumbers"] as const;
const entryProcedures = ["acceptNumber", "admitReturn", "attemptThrottle", "claimBlocks", "failThrottle"] as const;
const otherProcedures = ["reserveNumbers", "settleTallies", "sweepAudit"] as const;
const own = [...tables, ...sequences, ...entryProcedures, ...otherProcedures];

/** The quoted names of everything that a storage keeps, with that of the database before them. */
export interface Tables extends Names<(typeof own)[number]> {
  /** The database itself, unquoted. */
  readonly database: string;
}

/** The names in one database; nothing relies on the one that a connection has chosen. */
export function tablesOf(database: string): Tables {
  return { database, ...namesWith(`\`${acceptDatabaseName(database)}\`.`) };
}

function namesWith(prefix: string): Names<(typeof own)[number]> {
  return quotedNames(own, (name) => `${prefix}\`${name}\``);
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
