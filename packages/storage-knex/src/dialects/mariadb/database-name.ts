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
