import { ServiceError } from "@sallyport/core";

/** A migration, or functions of the database. */
export interface Numbered {
  readonly name: string;
  /**
   * Of functions: `migrate` installs them where they are missing or have a lower number. A change of them raises it. A function whose
   * signature changes gets a new name, so that servers of two versions work side by side; a later migration drops the former one. A
   * migration has none, as it never changes.
   */
  readonly number?: number;
}

/** What a database still needs. One that knows more than this version of the code: 705. */
export function pendingMigrations<Migration extends Numbered>(
  known: readonly Migration[],
  applied: readonly Required<Numbered>[],
): Migration[] {
  const numbers = new Map(known.map(({ name, number = 1 }) => [name, number]));
  if (applied.some(({ name, number }) => number > (numbers.get(name) ?? 0)))
    throw new ServiceError(705, { detail: "The database was migrated by a newer version." });
  const done = new Map(applied.map(({ name, number }) => [name, number]));
  return known.filter(({ name, number = 1 }) => (done.get(name) ?? 0) < number);
}
