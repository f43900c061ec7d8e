import { ServiceError } from "@sallyport/core";

/** The migrations that a database still needs. One that knows more than this version of the code: 705. */
export function pendingMigrations<Migration extends { readonly name: string }>(
  known: readonly Migration[],
  applied: readonly string[],
): Migration[] {
  const names = new Set(known.map(({ name }) => name));
  const unknown = applied.filter((name) => !names.has(name));
  if (unknown.length > 0) throw new ServiceError(705, { detail: "The database was migrated by a newer version." });
  const done = new Set(applied);
  return known.filter(({ name }) => !done.has(name));
}
