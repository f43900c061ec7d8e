import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Contradiction } from "../checks/contradiction.ts";
import type { StorageConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/configuration-schema.ts";
import { isPostgresUrl } from "../schema/network-texts.ts";
import { readReason } from "../sources/read-reason.ts";

type DatabaseDocument = NonNullable<ConfigurationDocument["databases"]>[number];
type StorageDocument = NonNullable<DatabaseDocument["storage"]>;

export interface StoragePlace {
  readonly alias: string;
  /** Path of the storage section. */
  readonly path: string;
  /** Names of the members that were given. */
  readonly given: readonly string[];
  readonly document: Pick<ConfigurationDocument, "databaseUrl" | "dataDir">;
}

const usedBy: Readonly<Record<StorageDocument["engine"], readonly string[]>> = {
  postgres: ["engine", "url", "urlFile", "schema", "pool", "statementTimeout", "migrateOnStart"],
  embedded: ["engine", "schema", "dataDir", "statementTimeout", "migrateOnStart"],
  memory: ["engine"],
  module: ["engine", "module", "options", "migrateOnStart"],
};

/** The storage of one database with its defaults, and what is wrong with it; `null` storage if it cannot be told. */
export function storageOf(
  storage: StorageDocument,
  { alias, path, given, document }: StoragePlace,
): { storage: StorageConfiguration | null; contradictions: Contradiction[] } {
  const { engine, statementTimeout } = storage;
  const contradictions: Contradiction[] = given
    .filter((member) => !usedBy[engine].includes(member))
    .map((member) => ({
      path: `${path}.${member}`,
      reason: `has no meaning for the engine "${engine}"`,
      against: [`${path}.engine`],
    }));
  if (engine === "memory") return { storage: { engine }, contradictions };
  if (engine === "module") {
    const { module, options = {} } = storage;
    if (module !== undefined) return { storage: { engine, module, options }, contradictions };
    const reason = 'is required by the engine "module": the path or the package of an adapter';
    contradictions.push({ path: `${path}.module`, reason, against: [`${path}.engine`] });
    return { storage: null, contradictions };
  }

  const schema = storage.schema ?? defaultSchema(alias);
  if (schema.length > 63) {
    const reason = "is required: the alias is too long to be part of a name";
    contradictions.push({ path: `${path}.schema`, reason });
  }
  if (engine === "embedded") {
    const dataDir = resolve(storage.dataDir ?? document.dataDir);
    return { storage: { engine, schema, dataDir, statementTimeout }, contradictions };
  }

  const { url, contradiction } = urlOf(storage, path, document.databaseUrl);
  if (contradiction !== undefined) contradictions.push(contradiction);
  if (url === undefined) return { storage: null, contradictions };
  return { storage: { engine, url, schema, pool: storage.pool, statementTimeout }, contradictions };
}

/** Aliases may hold hyphens, names of schemas had better not. */
function defaultSchema(alias: string): string {
  return alias === "" ? "sallyport" : `sallyport_${alias.replaceAll("-", "_")}`;
}

function urlOf(
  { url, urlFile }: StorageDocument,
  path: string,
  common: string | undefined,
): { url?: string; contradiction?: Contradiction } {
  if (url !== undefined && urlFile !== undefined) {
    return { url, contradiction: { path: `${path}.urlFile`, reason: "contradicts url: give one of them" } };
  }
  if (urlFile === undefined) {
    const found = url ?? common;
    if (found !== undefined) return { url: found };
    const reason = "is required, unless there is a urlFile or a common databaseUrl";
    return { contradiction: { path: `${path}.url`, reason, against: ["databaseUrl"] } };
  }
  try {
    const read = readFileSync(urlFile, "utf8").trim();
    if (isPostgresUrl(read)) return { url: read };
    return { contradiction: { path: `${path}.urlFile`, reason: "names a file that holds no connection string" } };
  } catch (error) {
    return { contradiction: { path: `${path}.urlFile`, reason: `names a file that ${readReason(error)}` } };
  }
}
