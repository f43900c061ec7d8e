import { type ClassDefinition, ServiceError } from "@sallyport/core";

/** A migration, or functions of the database. */
export interface Numbered {
  readonly name: string;
  /**
   * Functions only: `migrate` installs them if they are missing or have a lower number. Raise it with every change. A
   * function with a changed signature gets a new name, so that servers of two versions can run side by side; a
   * migration of the next major version drops the old one. A migration has no number because it never changes.
   */
  readonly number?: number;
}

/**
 * One step from an empty database to the current schema. It never changes after its release, so it imports only stable
 * code and types. There is no way back.
 */
export interface SqlMigration<Tables, Query> extends Numbered {
  /** Number and purpose; the list is ordered by number. */
  readonly name: string;
  /** The statements. A new database gets the classes. */
  readonly statements: (tables: Tables, classes: readonly ClassDefinition[]) => readonly (string | Query)[];
}

/** The missing migrations. Throws 705 for a database of a newer version, unless `allowNewer` is set. */
export function pendingMigrations<Migration extends Numbered>(
  known: readonly Migration[],
  applied: readonly Required<Numbered>[],
  { allowNewer = false }: { readonly allowNewer?: boolean } = {},
): Migration[] {
  const numbers = new Map(known.map(({ name, number = 1 }) => [name, number]));
  if (!allowNewer && applied.some(({ name, number }) => number > (numbers.get(name) ?? 0)))
    throw new ServiceError(705, {
      detail: "The database was migrated by a newer version of the server. Start that version.",
    });
  const done = new Map(applied.map(({ name, number }) => [name, number]));
  return known.filter(({ name, number = 1 }) => (done.get(name) ?? 0) < number);
}

/** Members for the tables and sequences of every dialect. */
const accounts = ["accounts", "appKeys", "customAccounts", "throttle"] as const;
const sessions = ["channels", "cipherBlocks", "seatCounts", "sessionCounts", "sessions"] as const;
const objects = ["classes", "links", "locks", "objectCounts", "objects"] as const;
const deletions = ["formerReaders", "sweptObjects", "tombstones"] as const;
const others = ["audit", "auditTallies", "migrations", "records", "recordVersions", "settings"] as const;
const shared = [...accounts, ...sessions, ...objects, ...deletions, ...others];

/** Members for the procedures or functions of every dialect. */
const sessionRoutines = ["changeAppNames", "changeOnBasis", "openOnBasis", "openSession", "requireBasis"] as const;
const routines = [...sessionRoutines, "passThrottle", "putRecord", "removeAccounts", "takeSeats"] as const;

export type Names<Own extends string> = Readonly<
  Record<Own | (typeof shared)[number] | (typeof routines)[number], string>
>;

/** The quoted names of all shared and dialect-specific members: `app_keys` for `appKeys`. */
export function quotedNames<Own extends string>(own: readonly Own[], quoted: (name: string) => string): Names<Own> {
  const members = [...shared, ...routines, ...own];
  const names = members.map((member) => [
    member,
    quoted(member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  ]);
  return Object.fromEntries(names) as Names<Own>;
}
