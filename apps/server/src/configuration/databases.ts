import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hostText, parseAddress } from "@sallyport/storage-knex/server-address";
import type { DatabaseConfiguration, EmbeddedStorage, ServerStorage, StorageConfiguration } from "./configuration.ts";
import { type InvalidCombination, sessionCombinations } from "./invalid-combinations.ts";
import { isOnServer, storageOf } from "./database-storage.ts";
import type { ConfigurationDocument } from "./schema/configuration-schema.ts";
import { databaseSection } from "./schema/database-section.ts";

interface ResolvedDatabases {
  readonly databases: readonly DatabaseConfiguration[];
  readonly combinations: readonly InvalidCombination[];
}

/** Applies the server-wide defaults and finds invalid combinations. `raw` is the unparsed document. */
export function resolveDatabases(document: ConfigurationDocument, raw: unknown): ResolvedDatabases {
  const implicit = document.databases === undefined && document.databaseUrl !== undefined;
  const listed = implicit ? [databaseSection.parse({ storage: {} })] : (document.databases ?? []);
  const combinations: InvalidCombination[] = [];
  if (listed.length === 0) {
    combinations.push({ path: "databases", reason: "is required: list at least one database, or set DATABASE_URL" });
  }

  const databases = listed.map((database, index): DatabaseConfiguration => {
    const { alias, name, timeZone, clientHash } = database;
    const at = `databases[${index}]`;
    const policy = policyOf(database, document);
    if (database.sessions !== undefined) {
      combinations.push(...sessionCombinations(policy.sessions, `${at}.sessions`, "sessions"));
    }
    const place = { alias, document, path: `${at}.storage`, members: givenMembers(raw, index) };
    const resolved = database.storage === undefined ? null : storageOf(database.storage, place);
    if (resolved !== null) combinations.push(...resolved.combinations);
    return {
      alias,
      name: name ?? (alias === "" ? "sallyport" : alias),
      timeZone,
      storage: resolved?.storage ?? null,
      migrateOnStart: database.storage?.migrateOnStart ?? !isOnServer(resolved?.storage ?? null),
      clientHash: clientHash ?? document.passwords.clientHash,
      macros: { directory: absolute(database.macros?.directory ?? document.macros.directory) },
      ...policy,
    };
  });
  combinations.push(...sharingCombinations(databases));
  if (document.databaseReadUrls !== undefined && document.databaseUrl === undefined)
    combinations.push({ path: "databaseUrl", reason: "is required with databaseReadUrls" });
  return { databases, combinations };
}

function absolute(directory: string | undefined): string | null {
  return directory === undefined ? null : resolve(directory);
}

function givenMembers(raw: unknown, index: number): string[] {
  const { databases } = (raw ?? {}) as { databases?: unknown };
  const { storage } = ((Array.isArray(databases) ? databases[index] : null) ?? {}) as { storage?: unknown };
  return typeof storage === "object" && storage !== null ? Object.keys(storage) : [];
}

type DatabaseDocument = NonNullable<ConfigurationDocument["databases"]>[number];

type PolicySection =
  | "sessions"
  | "rates"
  | "locks"
  | "objects"
  | "devices"
  | "throttle"
  | "audit"
  | "explanations"
  | "sync"
  | "console";

/** The policies of one database. Its own values override the server-wide ones. */
function policyOf(
  own: Pick<DatabaseDocument, PolicySection>,
  common: Pick<ConfigurationDocument, PolicySection>,
): Pick<DatabaseConfiguration, PolicySection> {
  const { label, color, appKey } = common.console;
  const { idleTimeout, absoluteLifetime, limit, perUserLimit, perDevice } = common.sessions;
  return {
    sessions: overlay({ idleTimeout, absoluteLifetime, limit, perUserLimit, perDevice }, own.sessions),
    rates: {
      address: overlay(common.rates.address, own.rates?.address),
      appKey: overlay(common.rates.appKey, own.rates?.appKey),
      session: overlay(common.rates.session, own.rates?.session),
    },
    locks: overlay(common.locks, own.locks),
    objects: overlay(common.objects, own.objects),
    devices: overlay(common.devices, own.devices),
    throttle: {
      user: overlay(common.throttle.user, own.throttle?.user),
      ip: overlay(common.throttle.ip, own.throttle?.ip),
    },
    audit: overlay(common.audit, own.audit),
    explanations: overlay(common.explanations, own.explanations),
    sync: overlay(common.sync, own.sync),
    console: overlay<DatabaseConfiguration["console"]>({ label, color, appKey }, own.console),
  };
}

function overlay<T extends object>(below: T, above: { readonly [K in keyof T]?: T[K] | undefined } = {}): T {
  const entries = Object.entries(above).filter(([, value]) => value !== undefined);
  return { ...below, ...Object.fromEntries(entries) };
}

/** The first database with each value that others must not have, or must agree with. */
class FirstPlaces {
  private readonly places = new Map<string, number>();

  /** The place of the first database with this value; `undefined` if it is the one at `index`. */
  before(index: number, ...value: readonly unknown[]): number | undefined {
    const key = JSON.stringify(value);
    const before = this.places.get(key);
    if (before === undefined) this.places.set(key, index);
    return before;
  }
}

/** Finds databases with the same alias or schema, and different settings for a shared engine. */
function* sharingCombinations(databases: readonly DatabaseConfiguration[]): Generator<InvalidCombination> {
  const first = new FirstPlaces();
  const modules: number[] = [];
  for (const [index, { alias, storage }] of databases.entries()) {
    const here = `databases[${index}]`;
    const namesake = first.before(index, "alias", alias);
    if (namesake !== undefined) {
      const there = `databases[${namesake}]`;
      yield { path: `${here}.alias`, reason: `is already used by ${there}`, against: [`${there}.alias`] };
    }
    if (storage === null || storage.engine === "memory") continue;
    if (storage.engine === "module") {
      const same = modules.find((before) => isDeepStrictEqual(databases[before]?.storage, storage));
      if (same === undefined) modules.push(index);
      else
        yield {
          path: `${here}.storage.options`,
          reason: `must differ from those of databases[${same}], which has the same module`,
        };
      continue;
    }
    const neighbour = first.before(index, "schema", placeOf(storage), storage.schema);
    if (neighbour !== undefined) {
      const there = `databases[${neighbour}]`;
      yield {
        path: `${here}.storage.schema`,
        reason: `is already used by ${there}: "${storage.schema}"`,
        against: [`${here}.alias`, `${there}.alias`, `${there}.storage.schema`],
      };
    }
    const sharer = first.before(index, "engine", storage.engine === "embedded" ? storage.dataDir : storage.url);
    const shared = sharer === undefined ? null : (databases[sharer]?.storage ?? null);
    if (shared !== null) yield* engineCombinations(storage, shared, here, `databases[${sharer}]`);
  }
}

/** Finds different settings of two databases on one engine, `there` the first one. */
function* engineCombinations(
  own: ServerStorage | EmbeddedStorage,
  other: StorageConfiguration,
  here: string,
  there: string,
): Generator<InvalidCombination> {
  if (own.engine === "embedded") {
    if (other.engine === "embedded" && own.statementTimeout !== other.statementTimeout)
      yield {
        path: `${here}.storage.statementTimeout`,
        reason: `must be the same as in ${there}, which shares the directory`,
        against: [`${there}.storage.statementTimeout`],
      };
    return;
  }
  if (!isOnServer(other)) return;
  if (!isDeepStrictEqual(own.readUrls, other.readUrls))
    yield {
      path: `${here}.storage.readUrls`,
      reason: `must be the same as in ${there}, which shares the connections`,
      against: [`${there}.storage.readUrls`],
    };
  if (isDeepStrictEqual([own.pool, own.statementTimeout], [other.pool, other.statementTimeout])) return;
  yield {
    path: `${here}.storage.pool`,
    reason: `and statementTimeout must be the same as in ${there}, which shares the connections`,
    against: [`${there}.storage.pool`, `${here}.storage.statementTimeout`, `${there}.storage.statementTimeout`],
  };
}

/** Normalized identity of a server database or directory. */
function placeOf(storage: ServerStorage | EmbeddedStorage): string {
  if (storage.engine === "embedded") return storage.dataDir;
  const { hosts, database } = parseAddress(storage.url);
  const place = hosts.map(hostText).join();
  // On MariaDB the schema is the database, regardless of the connection string.
  return storage.engine === "mariadb" ? place : `${place}/${database}`;
}
