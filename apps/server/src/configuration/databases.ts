import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hostText, parseAddress } from "@sallyport/storage-knex/server-address";
import type { DatabaseConfiguration, EmbeddedStorage, ServerStorage } from "./configuration.ts";
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
  | "sync";

/** The policies of one database. Its own values override the server-wide ones. */
function policyOf(
  own: Pick<DatabaseDocument, PolicySection>,
  common: Pick<ConfigurationDocument, PolicySection>,
): Pick<DatabaseConfiguration, PolicySection> {
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
  };
}

function overlay<T extends object>(below: T, above: { readonly [K in keyof T]?: T[K] | undefined } = {}): T {
  const entries = Object.entries(above).filter(([, value]) => value !== undefined);
  return { ...below, ...Object.fromEntries(entries) };
}

/** Finds databases with the same alias or schema, and different settings for a shared engine. */
function* sharingCombinations(databases: readonly DatabaseConfiguration[]): Generator<InvalidCombination> {
  for (const [index, database] of databases.entries()) {
    for (const [before, other] of databases.slice(0, index).entries()) {
      const [here, there] = [`databases[${index}]`, `databases[${before}]`];
      if (database.alias === other.alias) {
        yield { path: `${here}.alias`, reason: `is already used by ${there}`, against: [`${there}.alias`] };
      }
      const [own, others] = [database.storage, other.storage];
      if (own === null || others === null || own.engine === "memory" || others.engine === "memory") continue;
      if (own.engine === "module" || others.engine === "module") {
        if (isDeepStrictEqual(own, others))
          yield {
            path: `${here}.storage.options`,
            reason: `must differ from those of ${there}, which has the same module`,
          };
        continue;
      }
      if (placeOf(own) !== placeOf(others)) continue;
      if (own.schema === others.schema) {
        yield {
          path: `${here}.storage.schema`,
          reason: `is already used by ${there}: "${own.schema}"`,
          against: [`${here}.alias`, `${there}.alias`, `${there}.storage.schema`],
        };
      }
      if (own.engine === "embedded" && own.statementTimeout !== others.statementTimeout) {
        yield {
          path: `${here}.storage.statementTimeout`,
          reason: `must be the same as in ${there}, which shares the directory`,
          against: [`${there}.storage.statementTimeout`],
        };
      }
      if (own.engine === "embedded" || others.engine === "embedded" || own.url !== others.url) continue;
      if (!isDeepStrictEqual(own.readUrls, others.readUrls))
        yield {
          path: `${here}.storage.readUrls`,
          reason: `must be the same as in ${there}, which shares the connections`,
          against: [`${there}.storage.readUrls`],
        };
      const pools =
        JSON.stringify([own.pool, own.statementTimeout]) === JSON.stringify([others.pool, others.statementTimeout]);
      if (pools) continue;
      yield {
        path: `${here}.storage.pool`,
        reason: `and statementTimeout must be the same as in ${there}, which shares the connections`,
        against: [`${there}.storage.pool`, `${here}.storage.statementTimeout`, `${there}.storage.statementTimeout`],
      };
    }
  }
}

/** Normalized identity of a server database or directory. */
function placeOf(storage: ServerStorage | EmbeddedStorage): string {
  if (storage.engine === "embedded") return storage.dataDir;
  const { hosts, database } = parseAddress(storage.url);
  const place = hosts.map(hostText).join();
  // On MariaDB the schema is the database, regardless of the connection string.
  return storage.engine === "mariadb" ? place : `${place}/${database}`;
}
