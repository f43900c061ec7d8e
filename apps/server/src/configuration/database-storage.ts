import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ServerStorage, StorageConfiguration } from "./configuration.ts";
import type { InvalidCombination } from "./invalid-combinations.ts";
import type { ConfigurationDocument } from "./schema/configuration-schema.ts";
import { isSchemaName } from "./schema/database-section.ts";
import { parseAddress, type ServerAddress } from "@sallyport/storage-knex/server-address";
import { faultOfAddress, isConnectionString } from "./schema/network-texts.ts";
import { whyUnreadable } from "./file-access.ts";

type DatabaseDocument = NonNullable<ConfigurationDocument["databases"]>[number];
type StorageDocument = NonNullable<DatabaseDocument["storage"]>;

interface StoragePlace {
  readonly alias: string;
  /** Path of the storage section. */
  readonly path: string;
  /** Names of the given members. */
  readonly members: readonly string[];
  readonly document: Pick<ConfigurationDocument, "databaseUrl" | "databaseReadUrls" | "dataDir">;
}

const ofServers = ["engine", "url", "urlFile", "schema", "pool", "statementTimeout", "migrateOnStart"];
const ofPostgres = [...ofServers, "readUrls", "afterLossyFailover"];

const usedBy: Readonly<Record<StorageConfiguration["engine"], readonly string[]>> = {
  postgres: ofPostgres,
  mariadb: ofServers,
  embedded: ["engine", "schema", "dataDir", "statementTimeout", "migrateOnStart"],
  memory: ["engine"],
  module: ["engine", "module", "options", "migrateOnStart"],
};

/** Milliseconds. */
const defaultStatementTimeout = { server: 30_000, embedded: 5_000 } as const;

/** Resolves the storage of one database and its errors. `storage` is `null` if it cannot be determined. */
export function storageOf(
  storage: StorageDocument,
  { alias, path, members, document }: StoragePlace,
): { storage: StorageConfiguration | null; combinations: InvalidCombination[] } {
  const { engine, statementTimeout = defaultStatementTimeout[engine === "embedded" ? "embedded" : "server"] } = storage;
  const combinations: InvalidCombination[] = members
    .filter((member) => !usedBy[engine ?? "postgres"].includes(member))
    .map((member) => ({
      path: `${path}.${member}`,
      reason:
        engine === undefined
          ? "does not apply to a database server; set engine to another one"
          : `does not apply to the engine "${engine}"`,
      against: [`${path}.engine`],
    }));
  if (engine === "memory") return { storage: { engine }, combinations };
  if (engine === "module") {
    const { module, options = {} } = storage;
    if (module !== undefined) return { storage: { engine, module, options }, combinations };
    const reason = 'is required with the engine "module": a path or a package';
    combinations.push({ path: `${path}.module`, reason, against: [`${path}.engine`] });
    return { storage: null, combinations };
  }

  if (engine === "embedded") {
    const schema = storage.schema ?? defaultSchema(alias);
    combinations.push(...schemaCombinations(schema, path));
    const dataDir = resolve(storage.dataDir ?? document.dataDir);
    return { storage: { engine, schema, dataDir, statementTimeout }, combinations };
  }

  const { url, combination } = urlOf(storage, path, document.databaseUrl);
  if (combination !== undefined) combinations.push(combination);
  if (url === undefined) return { storage: null, combinations };
  const address = parseAddress(url);
  const named = address.engine;
  if (engine !== undefined && engine !== named) {
    const reason = `does not match the connection string, which is for the engine "${named}"`;
    combinations.push({ path: `${path}.engine`, reason, against: [`${path}.url`, `${path}.urlFile`, "databaseUrl"] });
  }
  const schema = storage.schema ?? defaultSchema(alias, named === "mariadb" ? databaseIn(address) : undefined);
  combinations.push(...schemaCombinations(schema, path));
  const { readUrls, combination: refused } = readUrlsOf(storage, path, { engine: named, common: document });
  if (refused !== undefined) combinations.push(refused);
  const { pool, afterLossyFailover = "refuse" } = storage;
  const common = { engine: named, url, readUrls, schema, pool, statementTimeout };
  if (named === "postgres") return { storage: { ...common, afterLossyFailover }, combinations };
  if (engine === undefined && members.includes("afterLossyFailover"))
    combinations.push({ path: `${path}.afterLossyFailover`, reason: 'does not apply to the engine "mariadb"' });
  return { storage: common, combinations };
}

/** The replicas of a database server. The common ones belong to the common connection string. */
function readUrlsOf(
  storage: StorageDocument,
  path: string,
  { engine, common }: { readonly engine: string; readonly common: StoragePlace["document"] },
): { readUrls: readonly string[]; combination?: InvalidCombination } {
  const isCommon = storage.url === undefined && storage.urlFile === undefined;
  const readUrls: readonly string[] = storage.readUrls ?? (isCommon ? common.databaseReadUrls : undefined) ?? [];
  const at = storage.readUrls === undefined ? "databaseReadUrls" : `${path}.readUrls`;
  if (readUrls.length === 0) return { readUrls };
  if (engine !== "postgres") {
    const reason = `does not apply to the engine "${engine}": only Postgres has replicas`;
    return { readUrls: [], combination: { path: at, reason, against: [`${path}.url`, "databaseUrl"] } };
  }
  for (const [index, each] of readUrls.entries()) {
    const fault = faultOfAddress(each);
    if (fault !== null) return { readUrls: [], combination: { path: `${at}[${index}]`, reason: fault } };
  }
  const addresses = readUrls.map((each) => parseAddress(each));
  if (addresses.every((each) => each.engine === "postgres" && each.hosts.length === 1)) return { readUrls };
  return { readUrls, combination: { path: at, reason: "must list connection strings of Postgres with one host each" } };
}

/** Whether the storage is on a database server. */
export function isOnServer(storage: StorageConfiguration | null): storage is ServerStorage {
  return storage?.engine === "postgres" || storage?.engine === "mariadb";
}

/** Aliases can contain hyphens, which schema names would need to quote. */
function defaultSchema(alias: string, base = "sallyport"): string {
  return alias === "" ? base : `${base}_${alias.replaceAll("-", "_")}`;
}

function schemaCombinations(schema: string, path: string): InvalidCombination[] {
  if (isSchemaName(schema)) return [];
  const reason = `is required: the default "${schema}" is too long or has characters other than lowercase letters, digits and _`;
  return [{ path: `${path}.schema`, reason }];
}

/** Database name in a MariaDB connection string. */
function databaseIn({ database }: ServerAddress): string | undefined {
  return database || undefined;
}

function urlOf(
  { url, urlFile }: StorageDocument,
  path: string,
  common: string | undefined,
): { url?: string; combination?: InvalidCombination } {
  if (url !== undefined && urlFile !== undefined) {
    return { combination: { path: `${path}.urlFile`, reason: "cannot be combined with url" } };
  }
  if (urlFile === undefined) {
    const found = url ?? common;
    if (found !== undefined) return checked(found, url === undefined ? "databaseUrl" : `${path}.url`);
    const reason = "is required, or set urlFile or databaseUrl";
    return { combination: { path: `${path}.url`, reason, against: ["databaseUrl", `${path}.engine`] } };
  }
  try {
    const read = readFileSync(urlFile, "utf8").trim();
    if (isConnectionString(read)) return checked(read, `${path}.urlFile`);
    return { combination: { path: `${path}.urlFile`, reason: "the file does not contain a connection string" } };
  } catch (error) {
    return { combination: { path: `${path}.urlFile`, reason: `the file ${whyUnreadable(error)}` } };
  }
}

/** A connection string, unless the server could not start with it. */
function checked(url: string, path: string): { url?: string; combination?: InvalidCombination } {
  const reason = faultOfAddress(url);
  return reason === null ? { url } : { combination: { path, reason } };
}
