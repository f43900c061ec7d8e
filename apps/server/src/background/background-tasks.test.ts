import { jest } from "@jest/globals";
import { ServiceError, type Storage } from "@sallyport/storage";
import { Database, type DatabasePolicy } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { MemoryFileStore } from "@sallyport/test-kit/files/memory-file-store";
import type { OpenWriter } from "@sallyport/storage-knex";
import { pino } from "pino";
import type { DatabaseConfiguration } from "../configuration/index.ts";
import { ServedDatabases } from "../databases/served-databases.ts";
import { IndexKeeper } from "./index-keeper.ts";
import { Metrics } from "../monitoring/metrics.ts";
import { WriterWatch } from "./writer-watch.ts";

describe("IndexKeeper", () => {
  const index = { className: "File", attribute: "Name", type: "string" } as const;

  async function storageWithIndex(): Promise<Storage> {
    const storage = new MemoryStorage();
    await storage.migrate();
    const { model } = storage.repositories;
    const attributes = [{ name: "Name", type: "string", indexed: true }] as const;
    await model.change(
      { put: [{ name: "File", base: null, attributes, rights: [] }] },
      (await model.load()).generation,
    );
    return storage;
  }

  const databaseOver = (alias: string, storage: Storage) =>
    new Database({
      alias,
      name: alias,
      policy: { timeZone: "UTC" } as DatabasePolicy,
      storage,
      files: new MemoryFileStore(),
      digests: new NodeDigests(),
    });

  /** The storage with another index alignment. */
  const aligning = (storage: Storage, alignIndexes: Storage["alignIndexes"]): Storage =>
    Object.assign(Object.create(storage) as Storage, { alignIndexes });

  function keeperOf(): { keeper: IndexKeeper; lines: () => { [name: string]: unknown }[] } {
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(line) });
    return { keeper: new IndexKeeper(logger), lines: () => lines.map((line) => JSON.parse(line)) };
  }

  test("aligns the indexes of every database, and logs it once", async () => {
    const { keeper, lines } = keeperOf();
    const storages = [await storageWithIndex(), await storageWithIndex()] as const;
    const databases = new ServedDatabases([
      ["a", databaseOver("a", storages[0])],
      ["b", databaseOver("b", storages[1])],
      ["none", null],
    ]);
    keeper.start(databases, 60_000);
    await keeper.settled();
    for (const database of databases.values()) if (database !== null) keeper.begin(database);
    await keeper.settled();
    keeper.stop();
    for (const storage of storages) expect(await storage.readyIndexes([index])).toEqual([index]);
    expect(lines()).toMatchObject(
      ["a", "b"].map((alias) => ({ level: 30, alias, built: ["File.Name"], removed: 0, msg: "Indexes updated" })),
    );
  });

  test("logs once which indexes exceed the engine's limit", async () => {
    const { keeper, lines } = keeperOf();
    const storage = await storageWithIndex();
    const capabilities = { ...storage.capabilities, indexesPerTable: 0 };
    const narrow = Object.assign(
      aligning(storage, () => storage.alignIndexes([])),
      { capabilities },
    );
    const database = databaseOver("a", narrow);
    for (const _time of [1, 2]) {
      keeper.begin(database);
      await keeper.settled();
    }
    expect(lines()).toMatchObject([{ level: 40, alias: "a", remaining: ["File.Name"], limit: 0 }]);
  });

  test("aligns one database at a time, and repeats one that changes during it", async () => {
    const { keeper } = keeperOf();
    const events: string[] = [];
    const watched = async (alias: string) => {
      const storage = await storageWithIndex();
      const database: Database = databaseOver(
        alias,
        aligning(storage, async (wanted) => {
          events.push(`${alias} begins`);
          if (events.length === 1) keeper.begin(database);
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          events.push(`${alias} ends`);
          return storage.alignIndexes(wanted);
        }),
      );
      return database;
    };
    const [a, b] = [await watched("a"), await watched("b")];
    keeper.begin(a);
    keeper.begin(b);
    await keeper.settled();
    expect(events).toEqual(["a begins", "a ends", "b begins", "b ends", "a begins", "a ends"]);
  });

  test("aligns again when the model changes during it", async () => {
    const { keeper } = keeperOf();
    const storage = await storageWithIndex();
    const other = { ...index, className: "Image" };
    let changed = false;
    keeper.begin(
      databaseOver(
        "a",
        aligning(storage, async (wanted) => {
          const { model } = storage.repositories;
          const attributes = [{ name: "Name", type: "string", indexed: true }] as const;
          if (!changed)
            await model.change(
              { put: [{ name: "Image", base: null, attributes, rights: [] }] },
              (await model.load()).generation,
            );
          changed = true;
          return storage.alignIndexes(wanted);
        }),
      ),
    );
    await keeper.settled();
    expect(await storage.readyIndexes([index, other])).toEqual([index, other]);
  });

  test.each([
    ["MariaDB", { errno: 1142 }],
    ["Postgres", { code: "42501" }],
  ])("logs one line without a stack if the account may not build indexes on %s", async (_engine, properties) => {
    const { keeper, lines } = keeperOf();
    const cause = Object.assign(new Error("command denied"), properties);
    const denied = () => Promise.reject(new ServiceError(799, { cause }));
    keeper.begin(databaseOver("a", aligning(await storageWithIndex(), denied)));
    await keeper.settled();
    expect(lines()).toMatchObject([{ level: 40, alias: "a", reason: "Error: command denied" }]);
    expect(JSON.stringify(lines())).not.toContain("stack");
  });

  test("logs a new failure once, and never one that is logged elsewhere", async () => {
    const { keeper, lines } = keeperOf();
    const storage = await storageWithIndex();
    const failures = [
      new ServiceError(799, { cause: new Error("must be owner") }),
      new ServiceError(799, { cause: new Error("must be owner") }),
      new ServiceError(704),
      new ServiceError(799, { cause: new Error("disk full") }),
    ];
    const database = databaseOver(
      "a",
      aligning(storage, (wanted) => {
        const failure = failures.shift();
        return failure === undefined ? storage.alignIndexes(wanted) : Promise.reject(failure);
      }),
    );
    for (let round = 0; round < 5; round += 1) {
      keeper.begin(database);
      await keeper.settled();
    }
    const warning = { level: 40, alias: "a", msg: "Index update failed" };
    expect(lines()).toMatchObject([warning, warning, { level: 30, msg: "Indexes updated" }]);
  });

  test("does nothing after it is stopped", async () => {
    const { keeper } = keeperOf();
    const storage = await storageWithIndex();
    keeper.stop();
    keeper.begin(databaseOver("a", storage));
    await keeper.settled();
    expect(await storage.readyIndexes([index])).toEqual([]);
  });

  test("retries by itself when another process was aligning", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate", "performance"] });
    const { keeper } = keeperOf();
    const storage = await storageWithIndex();
    let asked = 0;
    keeper.begin(
      databaseOver(
        "a",
        aligning(storage, async (wanted) => {
          asked += 1;
          return asked < 3 ? "busy" : storage.alignIndexes(wanted);
        }),
      ),
    );
    await keeper.settled();
    for (let round = 0; round < 2; round += 1) {
      await jest.advanceTimersByTimeAsync(5_000);
      await keeper.settled();
    }
    jest.useRealTimers();
    expect(await storage.readyIndexes([index])).toEqual([index]);
  });
});

describe("WriterWatch", () => {
  const writer = { transaction: "3/7", pid: 4711, role: "reports", application: "psql", prepared: null, age: null };

  test("logs a transaction that keeps changes from devices once it is 30 s old, and measures its age", async () => {
    const database = { alias: "one" } as Database;
    const storage = { engine: "postgres", schema: "sallyport" };
    const databases = new ServedDatabases([["one", database]]);
    databases.configurations.set("one", { alias: "one", storage } as unknown as DatabaseConfiguration);
    const written: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void written.push(line) });
    const metrics = new Metrics();
    let [open, now]: [OpenWriter[], number] = [[], 0];
    const watch = new WriterWatch(databases, { openWriters: async () => open }, metrics, logger, () => now);
    const look = async (writers: OpenWriter[], at: number) => {
      [open, now] = [writers, at];
      await watch.look(database);
      const { text } = await metrics.text();
      return [
        /sync_watermark_age_seconds\{alias="one"\} (\S+)/.exec(text)?.[1],
        written.splice(0).map((line) => JSON.parse(line)),
      ];
    };
    const line = (properties: object) => {
      const { transaction: _, age: _age, ...facts } = writer;
      const msg = "An open transaction keeps changes from devices";
      return { level: 40, alias: "one", ...facts, ...properties, msg };
    };
    expect(await look([], 0)).toEqual(["0", []]);
    // The age of other roles' transactions is hidden: since the first look.
    expect(await look([writer], 1_000)).toEqual(["0", []]);
    expect(await look([writer], 30_999)).toEqual(["29.999", []]);
    expect(await look([writer], 31_000)).toEqual(["30", [line({ ageMs: 30_000 })]]);
    const prepared = { ...writer, transaction: "-1/8", pid: null, prepared: "two", age: 90_000 };
    expect(await look([writer, prepared], 41_000)).toEqual([
      "90",
      [line({ pid: null, prepared: "two", ageMs: 90_000 })],
    ]);
    expect(await look([], 51_000)).toEqual(["0", []]);
    expect(await look([writer], 61_000)).toEqual(["0", []]);
  });
});
