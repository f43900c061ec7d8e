import { type AuditEvent, beforeAllChanges, type Repositories, ServiceError, type Storage } from "@sallyport/storage";
import { Database, type DatabasePolicy, requestResultKind, changeResultKind, KeyStore } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { MemoryFileStore } from "@sallyport/test-kit/files/memory-file-store";
import { pino } from "pino";
import { ServedDatabases } from "../databases/served-databases.ts";
import { Sweeper } from "./sweeper.ts";

/** Removal of expired data. */
describe("sweeper", () => {
  const hour = 3_600_000;
  const throttle = { maxFailures: 3, initialDelay: 1_000, maxDelay: 1_000, resetAfter: hour };
  const event: AuditEvent = {
    type: "logout.completed",
    requestId: "r",
    outcome: 0,
    appKeyId: "k",
    actorId: null,
    subjectId: null,
    address: "192.0.2.1",
    appNames: [],
    className: null,
    macroName: null,
    providerName: null,
    changes: [],
  };

  function databaseOver(alias: string, storage: Storage, retention = 400 * 24 * hour, tombstones = 0): Database {
    const policy: DatabasePolicy = {
      sessions: { idleTimeout: hour, absoluteLifetime: hour, limit: 0, perUserLimit: 0, perDevice: 5 },
      throttle: { user: throttle, ip: throttle },
      locks: { perSession: 0 },
      objects: { recycleBinPerUser: 0 },
      devices: { policy: "open" as const, perUser: 50 },
      files: {
        maxSize: 1,
        maxBytes: 0,
        maxOpenUploads: 0,
        uploadLifetime: hour,
        allowedExtensions: [],
        forbiddenExtensions: [],
        linksOfSecureSessions: false,
      },
      audit: { retention },
      explanations: { retention: 0, perNetwork: 1 },
      sync: { tombstones },
      clientHash: "none",
      timeZone: "UTC",
    };
    return new Database({
      alias,
      name: "test",
      policy,
      storage,
      files: new MemoryFileStore(),
      digests: new NodeDigests(),
    });
  }

  /** A storage that only sweeps, with a count for each kind. */
  function stub(alias: string, counts: { [task: string]: () => Promise<number> }): Database {
    const count = (task: string) => counts[task] ?? (async () => 0);
    const repositories = {
      sessions: { sweep: () => count("sessions")() },
      throttle: { sweep: () => count("throttle")() },
      audit: { settle: () => count("tallies")(), sweep: () => count("audit")() },
      records: { sweep: async () => new Map(), list: async () => [], get: async () => [], claim: async () => [] },
      channels: { sweepBlocks: () => count("blocks")() },
    } as unknown as Repositories;
    const transaction = (work: (r: Repositories) => unknown) => work(repositories);
    return databaseOver(alias, { repositories, transaction, capabilities: { severalProcesses: false } } as Storage);
  }

  function listening(): { lines: () => { [name: string]: unknown }[]; logger: pino.Logger } {
    const lines: string[] = [];
    return {
      lines: () => lines.map((line) => JSON.parse(line)),
      logger: pino({}, { write: (line: string) => void lines.push(line) }),
    };
  }

  test("sweeps until nothing is left", async () => {
    const left = [1_000, 1_000, 3];
    const sweeper = new Sweeper(new ServedDatabases(), 1_000, pino({ enabled: false }));
    await sweeper.sweep(stub("", { sessions: async () => left.shift() ?? 0 }));
    expect(left).toEqual([]);
  });

  describe("over a real storage", () => {
    let offset: number;
    let storage: Storage;

    beforeEach(async () => {
      offset = 0;
      storage = new MemoryStorage({ clockOffset: () => offset });
      await storage.migrate();
      const { audit, throttle: failures } = storage.repositories;
      await audit.append(event);
      await audit.append(event, "key");
      await failures.fail([{ key: "key", policy: throttle }]);
      offset = 2 * hour;
    });

    test("removes locks of ended sessions", async () => {
      const { locks, objects, sessions } = storage.repositories;
      const [object] = await objects.insert([{ className: "File", attributes: {} }]);
      await locks.take(object?.id ?? "", "a".repeat(64));
      await new Sweeper(new ServedDatabases(), 1_000, pino({ enabled: false })).sweep(databaseOver("a", storage));
      expect(await sessions.sweep(10)).toBe(0);
    });

    test("removes expired records", async () => {
      const { records } = storage.repositories;
      await records.put("passwordReset", "a", {}, { lifetime: hour });
      offset += 2 * hour;
      await records.put("passwordReset", "b", {}, { lifetime: hour });
      const { lines, logger } = listening();
      await new Sweeper(new ServedDatabases(), 1_000, logger).sweep(databaseOver("a", storage));
      expect(await records.sweep(10)).toEqual(new Map());
      expect(await records.get("passwordReset", ["a", "b"])).toMatchObject([{ id: "b" }]);
      expect(lines()).toEqual([]);
    });

    test("removes expired mail, and logs the number", async () => {
      const { records } = storage.repositories;
      for (const id of ["a", "b"]) await records.put("mail", id, {}, { lifetime: hour });
      await records.put("passwordReset", "a", {}, { lifetime: hour });
      offset += 2 * hour;
      const { lines, logger } = listening();
      await new Sweeper(new ServedDatabases(), 1_000, logger).sweep(databaseOver("a", storage));
      expect(lines()).toMatchObject([{ level: 50, alias: "a", jobs: 2, msg: "Mail expired" }]);
    });

    test("removes expired failures, writes tallies and removes events beyond their retention, and logs it", async () => {
      const { lines, logger } = listening();
      await new Sweeper(new ServedDatabases(), 1_000, logger).sweep(databaseOver("a", storage, 1.5 * hour));
      const { audit, throttle: failures } = storage.repositories;
      expect(await failures.sweep(10)).toBe(0);
      expect(await audit.settle(0, 10)).toBe(0);
      // The tally is as old as the event.
      expect(await audit.read(0, 10)).toEqual([]);
      expect(lines()).toMatchObject([{ level: 30, alias: "a", events: 2, msg: "Audit events deleted" }]);
    });

    test("keeps younger events, and keeps all events by default", async () => {
      const { lines, logger } = listening();
      for (const retention of [3 * hour, 0]) {
        offset = retention === 0 ? 10_000 * hour : offset;
        await new Sweeper(new ServedDatabases(), 1_000, logger).sweep(databaseOver("a", storage, retention));
        expect(await storage.repositories.audit.read(0, 10)).toHaveLength(2);
      }
      expect(lines()).toEqual([]);
    });

    test("forgets tombstones and former readers older than the configured time, in several batches", async () => {
      const { deletion, objects } = storage.repositories;
      const inserted = await objects.insert(
        Array.from({ length: 1_501 }, () => ({ className: "File", attributes: {} })),
      );
      const [first, ...others] = inserted.map(({ id }) => id);
      const remove = (ids: readonly string[]) => deletion.delete(ids, { recycled: false, root: ids[0] ?? "" });
      const sweep = (tombstones: number) =>
        new Sweeper(new ServedDatabases(), 1_000, pino({ enabled: false })).sweep(
          databaseOver("a", storage, 0, tombstones),
        );
      const left = async () => {
        const page = { classes: ["File"], after: beforeAllChanges, upTo: await objects.watermark(), limit: 5_000 };
        const { changes: found, swept } = await objects.changes(page);
        return { count: found.length, swept: swept > 0 };
      };
      await remove(others);
      offset += 3 * hour;
      await remove([first ?? ""]);
      await sweep(0);
      await sweep(4 * hour);
      expect(await left()).toEqual({ count: 1_501, swept: false });
      await Promise.all([sweep(2 * hour), sweep(2 * hour)]);
      expect(await left()).toEqual({ count: 1, swept: true });
    });

    test.each([
      ["results of changes with the tombstones", changeResultKind, 2 * hour],
      ["requests after a day", requestResultKind, 24 * hour],
    ])("forgets results of %s, also when it has seen them before", async (_results, kind, age) => {
      const { records } = storage.repositories;
      const sweep = (tombstones: number) =>
        new Sweeper(new ServedDatabases(), 1_000, pino({ enabled: false })).sweep(
          databaseOver("a", storage, 0, tombstones),
        );
      const put = (id: string) => records.put(kind, id, stored);
      const stored = { contents: "", code: 0, detail: null, outcome: null } as const;
      for (let number = 0; number < 1_500; number += 1) await put(`old ${number}`);
      offset += hour;
      await sweep(2 * hour);
      expect((await records.count(kind)).count).toBe(1_500);
      offset += age;
      await put("new");
      await sweep(2 * hour);
      expect((await records.list(kind, { after: null, limit: 10 })).map(({ id }) => id)).toEqual(["new"]);
    });

    test("keeps results of operations if tombstones are kept for ever", async () => {
      const { records } = storage.repositories;
      await records.put(changeResultKind, "old", { contents: "", code: 0, detail: null, outcome: null });
      offset += 1_000 * hour;
      await new Sweeper(new ServedDatabases(), 1_000, pino({ enabled: false })).sweep(databaseOver("a", storage, 0, 0));
      expect((await records.count(changeResultKind)).count).toBe(1);
    });
  });

  describe("blocks of encrypted log-ins", () => {
    let offset: number;
    let storage: Storage;
    const sweep = () =>
      new Sweeper(new ServedDatabases(), 1_000, pino({ enabled: false })).sweep(databaseOver("a", storage));
    const key = (keyId: string) => ({ kind: "rsa", keyId, publicKey: keyId, wrappedPrivateKey: keyId }) as const;
    const register = (block: string, clientKey = "client") =>
      storage.repositories.channels.registerBlocks(
        { blocks: [block.padStart(64, "0")], clientKey: clientKey.padStart(64, "0"), keyId: "first" },
        { uses: 3, within: hour },
      );

    beforeEach(async () => {
      offset = 0;
      storage = new MemoryStorage({ clockOffset: () => offset });
      await storage.migrate();
      await new KeyStore(storage.repositories.records).addFirst(key("first"), await storage.now());
      expect(await register("a")).toBe("first");
    });

    test("are kept while their key is the current one", async () => {
      offset = 10_000 * hour;
      await sweep();
      expect(await register("a", "other")).toBe("refused");
    });

    test("are kept while their key is accepted, and until it is swept", async () => {
      await new KeyStore(storage.repositories.records).rotate("first", key("second"), 1_000 * hour);
      for (const hours of [999, 1_001, 1_023]) {
        offset = hours * hour;
        await sweep();
        expect(await register("a", "other")).toBe("refused");
      }
      offset = 1_025 * hour;
      await sweep();
      expect(await new KeyStore(storage.repositories.records).withPrivateKey("rsa")).toHaveLength(1);
      expect(await register("a", "other")).toBe("first");
    });

    test("are kept for at least three days", async () => {
      await new KeyStore(storage.repositories.records).rotate("first", key("second"), 0);
      for (const hours of [25, 71]) {
        offset = hours * hour;
        await sweep();
        expect(await register("a", "other")).toBe("refused");
      }
      offset = 73 * hour;
      await sweep();
      expect(await register("a", "other")).toBe("first");
    });
  });

  test("continues with the next task after a failure, but not without a database", async () => {
    for (const [code, swept] of [
      [799, 1],
      [704, 0],
    ] as const) {
      const { lines, logger } = listening();
      let audits = 0;
      const failing = stub("a", {
        throttle: async () => {
          throw new ServiceError(code);
        },
        audit: async () => {
          audits += 1;
          return 0;
        },
      });
      await new Sweeper(new ServedDatabases(), 1_000, logger).sweep(failing);
      expect(audits).toBe(swept);
      expect(lines()).toMatchObject([
        { level: 40, alias: "a", task: "expired throttle counters", msg: "Cleanup failed" },
      ]);
    }
  });

  test("logs a failure, tries again, and does not disturb other databases", async () => {
    const { lines, logger } = listening();
    let enough = () => {};
    const sweptTwice = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const swept = new Map([
      ["down", 0],
      ["up", 0],
    ]);
    const count = (alias: string) => {
      swept.set(alias, (swept.get(alias) ?? 0) + 1);
      if ([...swept.values()].every((times) => times >= 2)) enough();
    };
    const down = stub("down", {
      sessions: async () => {
        count("down");
        throw new ServiceError(704);
      },
    });
    const up = stub("up", {
      sessions: async () => {
        count("up");
        return 0;
      },
    });
    const sweeper = new Sweeper(
      new ServedDatabases([
        ["down", down],
        ["up", up],
        ["later", null],
      ]),
      1,
      logger,
    );
    sweeper.start();
    // The sweeper's own timers do not keep a process alive.
    const alive = setInterval(() => {}, 1_000);
    await sweptTwice;
    clearInterval(alive);
    sweeper.stop();
    expect(lines()[0]).toMatchObject({ alias: "down", task: "expired sessions", msg: "Cleanup failed" });
  });
});
