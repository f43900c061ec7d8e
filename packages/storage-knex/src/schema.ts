import { type ClassDefinition, ServiceError } from "@sallyport/storage";

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
  migrations: readonly Migration[],
  applied: readonly Required<Numbered>[],
  { allowNewer = false }: { readonly allowNewer?: boolean } = {},
): Migration[] {
  const numbers = new Map(migrations.map(({ name, number = 1 }) => [name, number]));
  if (!allowNewer && applied.some(({ name, number }) => number > (numbers.get(name) ?? 0)))
    throw new ServiceError(705, {
      detail: "The database was migrated by a newer version of the server. Start that version.",
    });
  const done = new Map(applied.map(({ name, number }) => [name, number]));
  return migrations.filter(({ name, number = 1 }) => (done.get(name) ?? 0) < number);
}

/** A property of a database server on which the code relies. Without it, data would become wrong in silence. */
export interface Requirement<Sessions> {
  /** The damage without it, in one sentence for the operator. */
  readonly reason: string;
  /** Probes the server and changes nothing. Rejects if the server does not know what it is asked for. */
  readonly holds: (sessions: Sessions) => Promise<boolean>;
}

/** Codes of failures that tell nothing about the server: it is busy or out of reach. */
const temporary: ReadonlySet<unknown> = new Set([607, 704, 706]);

/** The reasons of the requirements that the server does not meet. `probe` runs one of them with its sessions. */
export async function unmetRequirements<Sessions>(
  requirements: readonly Requirement<Sessions>[],
  probe: (holds: Requirement<Sessions>["holds"]) => Promise<boolean>,
): Promise<string[]> {
  const unmet: string[] = [];
  for (const { reason, holds } of requirements) {
    const isMet = await probe(holds).catch((error: unknown) => {
      if (error instanceof ServiceError && temporary.has(error.code)) throw error;
      return false;
    });
    if (!isMet) unmet.push(reason);
  }
  return unmet;
}

/** Probes of each pool. */
const probing = new WeakMap<object, Promise<unknown>>();

/** Probes one after the other: each needs two connections of the pool, and several could wait for the second one for ever. */
export function probeAlone<T>(pool: object, probe: () => Promise<T>): Promise<T> {
  const probed = (probing.get(pool) ?? Promise.resolve()).then(probe);
  probing.set(
    pool,
    probed.catch(() => {}),
  );
  return probed;
}

/** Whether a pool can compare two sessions. */
export function canHoldTwo(client: object): boolean {
  return (client as { readonly pool?: { readonly max?: number } }).pool?.max !== 1;
}

/** Throws 705 with the first reason, before a migration creates anything. */
export function refuseUnsuitable([reason]: readonly string[]): void {
  if (reason !== undefined) throw new ServiceError(705, { detail: `The database server is unsuitable. ${reason}` });
}

/** Members for the tables and sequences of every dialect. */
const accounts = ["accounts", "appKeys", "customAccounts", "throttle"] as const;
const sessions = ["channels", "cipherBlocks", "seatCounts", "sessionCounts", "sessions"] as const;
const objects = ["classes", "links", "locks", "objectCounts", "objects"] as const;
const deletions = ["formerReaders", "sweptObjects", "tombstones"] as const;
const others = ["audit", "auditTallies", "migrations", "records", "recordVersions", "settings"] as const;
const shared = [...accounts, ...sessions, ...objects, ...deletions, ...others];

/** Members for the procedures or functions of every dialect. */
const sessionRoutines = [
  "changeAppNames",
  "changeOnBasis",
  "openOnBasis",
  "openSession",
  "openSessionFrom",
  "requireBasis",
] as const;
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
