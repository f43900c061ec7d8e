import { type Names, quotedNames } from "../../schema.ts";

const sequences = ["objectIds", "stamps"] as const;
const objectFunctions = [
  "lockObjects",
  "insertObject",
  "insertObjects",
  "linkedObjects",
  "updateObject",
  "updateObjects",
] as const;
const otherFunctions = [
  "attemptThrottle",
  "keepReaders",
  "keepStamp",
  "objectNumber",
  "openSecureSession",
  "releaseLock",
  "stampRow",
  "takeLock",
  "takeStamp",
] as const;
const own = [...sequences, ...objectFunctions, ...otherFunctions];

/** The quoted, schema-qualified names of all tables, sequences and functions. */
export interface Tables extends Names<(typeof own)[number]> {
  /** The schema itself, unquoted. */
  readonly schema: string;
}

/** The qualified names in one schema, independent of the search path. */
export function tablesOf(schema: string): Tables {
  const accepted = acceptSchemaName(schema);
  return { schema, ...quotedNames(own, (name) => `"${accepted}"."${name}"`) };
}

const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Validates a schema name, which becomes part of SQL texts. Refuses system schemas and every name that needs quoting.
 */
export function acceptSchemaName(name: string): string {
  if (!schemaName.test(name) || name.startsWith("pg_") || name === "information_schema") {
    throw new Error(
      "A schema name must have at most 63 lowercase letters, digits and underscores, and must not be a system schema.",
    );
  }
  return name;
}
