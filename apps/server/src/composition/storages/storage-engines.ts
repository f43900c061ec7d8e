import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import type { OpenStorage, Storage } from "@sallyport/core";
import type { ServerFacts } from "@sallyport/storage-knex";
import type { EmbeddedStorage, ModuleStorage, ServerStorage, StorageConfiguration } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";
import { StartError } from "../start-error.ts";
import { openEmbedded, openOrJoinEmbedded } from "./embedded.ts";
import { openMariadb } from "./mariadb.ts";
import { openPostgres } from "./postgres.ts";
import type { SqlEngine } from "./sql-engine.ts";

/**
 * Opens storages. Storages on one server share its pool, and those in one directory its embedded engine. Unused
 * adapters are not loaded.
 */
export class StorageEngines {
  /** `forCommand`: commands can join the embedded database of a running server. */
  constructor(private readonly forCommand = false) {}

  private readonly engines = new Map<string, Promise<SqlEngine>>();
  private readonly opened = new Map<string, SqlEngine>();
  private readonly storages: Storage[] = [];

  async open(configuration: StorageConfiguration): Promise<Storage> {
    const storage = await this.make(configuration);
    this.storages.push(storage);
    return storage;
  }

  /** Reads the facts of the server of a storage; `null` if it has none. */
  async facts(configuration: StorageConfiguration): Promise<ServerFacts | null> {
    if (configuration.engine === "memory" || configuration.engine === "module") return null;
    const { facts } = await this.engineOf(configuration);
    return facts === null ? null : facts(configuration.schema);
  }

  /** The connection pools, by a name without secrets. */
  pools(): ReadonlyMap<string, PoolState> {
    const states = new Map<string, PoolState>();
    for (const [name, { pool }] of this.opened) if (pool !== null) states.set(name, pool());
    return states;
  }

  /** Closes the storages, then the shared engines. Waits for running calls. */
  async close(): Promise<void> {
    await Promise.all(this.storages.map((storage) => storage.close()));
    await Promise.all(Array.from(this.engines.values(), async (engine) => (await engine.catch(() => null))?.close()));
  }

  private async make(configuration: StorageConfiguration): Promise<Storage> {
    if (configuration.engine === "memory") {
      const { MemoryStorage } = await import("@sallyport/storage-memory");
      return new MemoryStorage();
    }
    if (configuration.engine === "module") return openModule(configuration);
    const engine = await this.engineOf(configuration);
    return engine.storage(configuration.schema);
  }

  private engineOf(configuration: ServerStorage | EmbeddedStorage): Promise<SqlEngine> {
    const place = configuration.engine === "embedded" ? configuration.dataDir : configuration.url;
    const key = `${configuration.engine} ${place}`;
    const existing = this.engines.get(key);
    if (existing !== undefined) return existing;
    const opening = openEngine(configuration, this.forCommand);
    this.engines.set(key, opening);
    return opening.then((engine) => {
      this.opened.set(engine.name, engine);
      return engine;
    });
  }
}

function openEngine(configuration: ServerStorage | EmbeddedStorage, forCommand: boolean): Promise<SqlEngine> {
  if (configuration.engine === "embedded")
    return forCommand ? openOrJoinEmbedded(configuration) : openEmbedded(configuration);
  return configuration.engine === "postgres" ? openPostgres(configuration) : openMariadb(configuration);
}

/** Members that a storage must have. */
const members = [
  "capabilities",
  "repositories",
  "archive",
  "transaction",
  "batch",
  "migrate",
  "health",
  "now",
  "close",
] as const;

/** Opens a storage of an external adapter. Throws a `StartError` with the module name and the reason. */
async function openModule({ module, options }: ModuleStorage): Promise<Storage> {
  const refused = (reason: string, cause?: unknown) =>
    new StartError(`The storage module ${module} ${reason}`, { cause });
  const exported = await load(module).catch((error: unknown) => {
    throw refused(`cannot be loaded: ${firstLine(error)}`, error);
  });
  const open = exported["openStorage"];
  if (typeof open !== "function") throw refused("does not export a function openStorage.");
  let storage: unknown;
  try {
    storage = await (open as OpenStorage)(options);
  } catch (error) {
    throw refused(`failed to open a storage: ${firstLine(error)}`, error);
  }
  const missing = members.filter(
    (name) => (storage as { readonly [name: string]: unknown } | null | undefined)?.[name] === undefined,
  );
  if (missing.length > 0)
    throw refused(`opened an invalid storage: ${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing.`);
  return storage as Storage;
}

async function load(module: string): Promise<Readonly<Record<string, unknown>>> {
  // Resolved from the working directory. The server has other dependencies.
  const file = isAbsolute(module) ? module : createRequire(join(process.cwd(), "server.js")).resolve(module);
  return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
}

function firstLine(error: unknown): string {
  return (types.isNativeError(error) ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
