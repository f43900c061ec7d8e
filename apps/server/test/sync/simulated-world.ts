import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArchiveRecord, Storage } from "@sallyport/storage";
import { reserveUserNames } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import type { World } from "@sallyport/testing/devices";
import { StorageEngines } from "../../src/composition/storages/storage-engines.ts";
import { seedDemo } from "../../src/demo/index.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { administrationKey, administrator } from "../administration/administration-fixture.ts";
import { requireIntact } from "../require-intact.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";

/** A world in this process, which ends with `close`. */
export type SimulatedWorld = World & { close(): Promise<void> };

/** The storage outlives the servers on it. */
class KeptStorage extends StorageEngines {
  constructor(private readonly storage: Storage) {
    super();
  }

  override open(): Promise<Storage> {
    return Promise.resolve(this.storage);
  }

  override async close(): Promise<void> {}
}

/** Starts a world on a storage. `open` returns an empty one; the world closes it. */
export async function startSimulatedWorld(
  open: () => Storage | Promise<Storage> = () => new MemoryStorage(),
): Promise<SimulatedWorld> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const file = join(directory, "sallyport.config.json");
  writeFileSync(file, JSON.stringify({ databases: [{ alias: "", name: "demo", storage: { engine: "memory" } }] }));
  const configuration = loadConfiguration({ file, environment: { ...testEnvironment, ...limits } });
  const running = new Set<AbortController>();
  let [storage, server]: [Storage, RunningServer | undefined] = [await open(), undefined];
  let copy: ArchiveRecord[] = [];
  const start = async () => {
    server = await startServer(configuration, undefined, new KeptStorage(storage), undefined, tuningOf(limits));
    return server;
  };
  const stop = async () => {
    for (const controller of running) controller.abort(new Error("The server has ended."));
    await server?.close();
  };
  await storage.migrate();
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  await seedDemo(storage, { hasher, digests, clientHash: "md5", alias: "", files: null });
  const { url } = await start();
  const adminKey = await administrationKey(server as unknown as RunningServer);
  return {
    baseUrl: url,
    adminKey,
    administrator,
    servers: [
      async (input, init = {}) => {
        const controller = new AbortController();
        running.add(controller);
        const signals = [controller.signal, ...(init.signal == null ? [] : [init.signal])];
        const address = String(input).replace(url, String(server?.url));
        try {
          const response = await fetch(address, { ...init, signal: AbortSignal.any(signals) });
          // The whole response arrives, or none.
          return new Response(await response.arrayBuffer(), { status: response.status, headers: response.headers });
        } finally {
          running.delete(controller);
        }
      },
    ],
    kill: async () => {
      await stop();
      await requireIntact((await start()).databases.get(""));
    },
    backUp: async () => {
      copy = [];
      for await (const part of storage.archive.export()) copy.push(...part);
    },
    restore: async () => {
      await stop();
      await storage.close();
      storage = await open();
      await storage.migrate();
      await storage.archive.import(recordsOf(copy));
      await reserveUserNames({ storage, digests });
      await requireIntact((await start()).databases.get(""));
    },
    close: async () => {
      try {
        await requireIntact(server?.databases.get(""));
      } finally {
        await stop();
        await storage.close();
        rmSync(directory, { recursive: true });
      }
    },
  };
}

const digests = new NodeDigests();

/** A simulation logs in and writes more than a person. */
const limits = { LOG_LEVEL: "silent", THROTTLE_IP_MAX_FAILURES: "1000000" };

async function* recordsOf(records: readonly ArchiveRecord[]): AsyncGenerator<ArchiveRecord> {
  yield* records;
}
