import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import {
  callKinds,
  type Kernel,
  KernelStorage,
  kernelVersion,
  type OpenKernel,
  type OpenStorage,
  type Storage,
  type StorageClock,
  type StorageRecovery,
} from "@sallyport/storage";
import { LoopShare, type TurnLimits, Turns } from "@sallyport/core";
import type { OpenWriter, ReplicaState, ServerFacts } from "@sallyport/storage-knex";
import type { EmbeddedStorage, ModuleStorage, ServerStorage, StorageConfiguration } from "../../configuration/index.ts";
import type { PoolState } from "../../monitoring/metrics.ts";
import { StartError } from "../start-error.ts";
import { acquireTimeoutOf, openEmbedded, openOrJoinEmbedded } from "./embedded.ts";
import { openMariadb } from "./mariadb.ts";
import { openPostgres } from "./postgres.ts";
import type { SqlEngine, StorageEvents } from "./sql-engine.ts";

/**
 * Opens storages. Storages on one server share its pool, and those in one directory its embedded engine. Unused
 * adapters are not loaded.
 */
export class StorageEngines {
  /** `forCommand`: commands can join the embedded database of a running server. */
  constructor(private readonly forCommand = false) {}

  /** Called when a replica is left out, and when it takes reads again. */
  onReplicaChange: (state: ReplicaState) => void = () => {};

  private readonly engines = new Map<string, Promise<SqlEngine>>();
  private readonly opened = new Map<string, SqlEngine>();
  /** The open storages, with the key of their engine. */
  private readonly storages = new Map<Storage, string | null>();
  /** By the key of the engine, whose storages share its connections, or by the storage. */
  private readonly turns = new Map<string | Storage, Turns>();

  /** @param events receives what happens to the database later */
  async open(configuration: StorageConfiguration, events: StorageEvents = {}): Promise<Storage> {
    const storage = await this.make(configuration, events);
    const key = keyOf(configuration);
    this.storages.set(storage, key);
    const turns = storage.capabilities.connections ?? null;
    if (!this.turns.has(key ?? storage))
      this.turns.set(key ?? storage, new Turns({ turns, ...waitsOf(configuration) }, after, loop));
    return storage;
  }

  /** The turns of requests at the connections of an open storage. */
  turnsOf(storage: Storage): Turns | undefined {
    return this.turns.get(this.storages.get(storage) ?? storage);
  }

  /** Closes one storage, and the engine that no other storage uses. Waits for running calls. */
  async release(storage: Storage): Promise<void> {
    const key = this.storages.get(storage) ?? null;
    await storage.close();
    this.storages.delete(storage);
    this.turns.delete(storage);
    const engine = key === null || [...this.storages.values()].includes(key) ? undefined : this.engines.get(key);
    if (key === null || engine === undefined) return;
    this.engines.delete(key);
    this.opened.delete(key);
    this.turns.delete(key);
    await (await engine).close();
  }

  /** Reads the facts of the server of a storage; `null` if it has none. */
  async facts(configuration: StorageConfiguration): Promise<ServerFacts | null> {
    if (configuration.engine === "memory" || configuration.engine === "module") return null;
    const { facts } = await this.engineOf(configuration);
    return facts === null ? null : facts(configuration.schema);
  }

  /** The open transactions that keep changes of a storage from devices. */
  async openWriters(configuration: StorageConfiguration): Promise<readonly OpenWriter[]> {
    if (configuration.engine === "memory" || configuration.engine === "module") return [];
    const { openWriters } = await this.engineOf(configuration);
    return openWriters === null ? [] : openWriters(configuration.schema);
  }

  /** The recovery of a storage after lost transactions; `null` if its engine has none. */
  async recovery(configuration: StorageConfiguration): Promise<StorageRecovery | null> {
    if (configuration.engine === "memory" || configuration.engine === "module") return null;
    const { recovery } = await this.engineOf(configuration);
    return recovery === null ? null : recovery(configuration.schema);
  }

  /** The connection pools, by a name without secrets. */
  pools(): ReadonlyMap<string, PoolState> {
    const states = new Map<string, PoolState>();
    for (const [key, { name, pool }] of this.opened) {
      if (pool === null) continue;
      const state = pool();
      states.set(name, { ...state, waiting: state.waiting + (this.turns.get(key)?.waiting ?? 0) });
    }
    return states;
  }

  /** The engines with replicas, by a name without secrets. */
  replicas(): ReadonlyMap<string, NonNullable<SqlEngine["replicas"]>> {
    const all = [...this.opened.values()];
    return new Map(all.flatMap(({ name, replicas }) => (replicas ? [[name, replicas]] : [])));
  }

  /** Closes the storages, then the shared engines. Waits for running calls. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.storages.keys(), (storage) => storage.close()));
    await Promise.all(Array.from(this.engines.values(), async (engine) => (await engine.catch(() => null))?.close()));
  }

  protected async make(configuration: StorageConfiguration, events: StorageEvents): Promise<Storage> {
    if (configuration.engine === "memory") {
      const { MemoryStorage } = await import("@sallyport/storage-memory");
      return new MemoryStorage();
    }
    if (configuration.engine === "module") return openModule(configuration, {});
    const engine = await this.engineOf(configuration);
    return engine.storage(configuration, events);
  }

  private engineOf(configuration: ServerStorage | EmbeddedStorage): Promise<SqlEngine> {
    const key = keyOf(configuration);
    const existing = this.engines.get(key);
    if (existing !== undefined) return existing;
    const opening = this.openEngine(configuration);
    this.engines.set(key, opening);
    return opening.then(
      (engine) => {
        this.opened.set(key, engine);
        return engine;
      },
      (error: unknown) => {
        // A reload can try again.
        this.engines.delete(key);
        throw error;
      },
    );
  }

  private openEngine(configuration: ServerStorage | EmbeddedStorage): Promise<SqlEngine> {
    if (configuration.engine === "embedded")
      return this.forCommand ? openOrJoinEmbedded(configuration) : openEmbedded(configuration);
    return configuration.engine === "postgres"
      ? openPostgres(configuration, (state) => this.onReplicaChange(state))
      : openMariadb(configuration);
  }
}

/** Identifies the engine of a storage; `null` for a storage without one. Only one engine can use a directory. */
function keyOf(configuration: ServerStorage | EmbeddedStorage): string;
function keyOf(configuration: StorageConfiguration): string | null;
function keyOf(configuration: StorageConfiguration): string | null {
  if (configuration.engine === "memory" || configuration.engine === "module") return null;
  if (configuration.engine === "embedded") return `embedded ${configuration.dataDir}`;
  const { engine, url, readUrls, pool, statementTimeout } = configuration;
  return JSON.stringify([engine, url, readUrls, pool, statementTimeout]);
}

function after(milliseconds: number, call: () => void): () => void {
  const timer = setTimeout(call, milliseconds).unref();
  return () => clearTimeout(timer);
}

const loop = new LoopShare({ next: setImmediate, clock: performance });

/** How long and how many calls wait for their turns. */
function waitsOf(configuration: StorageConfiguration): Omit<TurnLimits, "turns"> {
  if (configuration.engine === "embedded")
    return { timeout: acquireTimeoutOf(configuration), maxWaiting: Number.POSITIVE_INFINITY };
  if (configuration.engine === "memory" || configuration.engine === "module")
    return { timeout: 5_000, maxWaiting: 1_000 };
  const { acquireTimeout, maxWaiting } = configuration.pool;
  return { timeout: acquireTimeout, maxWaiting };
}

/** Members that a kernel must have, and a storage. */
const members = {
  kernel: ["version", "capabilities", "read", "transaction", "migrate", "health", "close"],
  storage: [
    "capabilities",
    "repositories",
    "archive",
    "transaction",
    "batch",
    "migrate",
    "alignIndexes",
    "readyIndexes",
    "health",
    "now",
    "close",
  ],
} as const;

/**
 * Opens a storage of an external adapter: over its kernel, or one with repositories of its own. Throws a `StartError` with the
 * module name and the reason.
 */
export async function openModule({ module, options }: ModuleStorage, clock: StorageClock): Promise<Storage> {
  const refused = (reason: string, cause?: unknown) =>
    new StartError(`The storage module ${module} ${reason}`, { cause });
  const exported = await load(module).catch((error: unknown) => {
    throw refused(`cannot be loaded: ${firstLine(error)}`, error);
  });
  const kind = typeof exported["openKernel"] === "function" ? "kernel" : "storage";
  const open = exported[kind === "kernel" ? "openKernel" : "openStorage"];
  if (typeof open !== "function") throw refused("exports neither a function openKernel nor openStorage.");
  let opened: Partial<Record<string, unknown>> | null | undefined;
  try {
    opened = (await (open as OpenKernel | OpenStorage)(options, clock)) as unknown as typeof opened;
  } catch (error) {
    throw refused(`failed to open a ${kind}: ${firstLine(error)}`, error);
  }
  const version = opened?.["version"] ?? kernelVersion;
  if (kind === "kernel" && version !== kernelVersion)
    throw refused(
      `is for version ${String(version)} of the kernel interface, and this server for version ${kernelVersion}.`,
    );
  const missing: string[] = members[kind].filter((name) => opened?.[name] === undefined);
  if (kind === "storage" && missing.length === 0) missing.push(...missingCalls(opened?.["repositories"]));
  if (missing.length > 0)
    throw refused(`opened an invalid ${kind}: ${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing.`);
  return kind === "kernel" ? new KernelStorage(opened as unknown as Kernel) : (opened as unknown as Storage);
}

/** The calls of the repositories that a storage lacks. */
function missingCalls(repositories: unknown): string[] {
  const found = (repositories ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  return Object.entries(callKinds).flatMap(([area, calls]) =>
    Object.keys(calls)
      .filter((call) => typeof found[area]?.[call] !== "function")
      .map((call) => `${area}.${call}`),
  );
}

async function load(module: string): Promise<Readonly<Record<string, unknown>>> {
  // Resolved from the working directory. The server has other dependencies.
  const file = isAbsolute(module) ? module : createRequire(join(process.cwd(), "server.js")).resolve(module);
  return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
}

function firstLine(error: unknown): string {
  return (types.isNativeError(error) ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
