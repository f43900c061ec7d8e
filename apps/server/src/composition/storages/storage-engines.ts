import type { Storage } from "@sallyport/core";
import type { EmbeddedStorage, ServerStorage, StorageConfiguration } from "../../configuration/index.ts";
import type { PoolState } from "../../operations/metrics.ts";
import { openEmbedded, openOrJoinEmbedded } from "./embedded.ts";
import { openMariadb } from "./mariadb.ts";
import { openModule } from "./storage-module.ts";
import { openPostgres } from "./postgres.ts";
import type { SqlEngine } from "./sql-engine.ts";

/**
 * Opens storages. Those on one server share its connections, those in one directory its embedded engine. What a
 * configuration does not use is not loaded.
 */
export class StorageEngines {
  /** `forCommand`: the engines are for a command, which may use the database of a server that runs; else for a server. */
  constructor(private readonly forCommand = false) {}

  private readonly engines = new Map<string, Promise<SqlEngine>>();
  private readonly opened = new Map<string, SqlEngine>();
  private readonly storages: Storage[] = [];

  async open(configuration: StorageConfiguration): Promise<Storage> {
    const storage = await this.make(configuration);
    this.storages.push(storage);
    return storage;
  }

  /** The connection pools, by a name without secrets. */
  pools(): ReadonlyMap<string, PoolState> {
    const states = new Map<string, PoolState>();
    for (const [name, { pool }] of this.opened) if (pool !== null) states.set(name, pool());
    return states;
  }

  /** Closes the storages, then what they share. Waits for calls that run. */
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
