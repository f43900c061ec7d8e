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
