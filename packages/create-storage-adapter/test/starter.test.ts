import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type ArchiveRecord,
  type Attempt,
  OutdatedModelError,
  ServiceError,
  type StorageArchive,
} from "@sallyport/storage";

type Call = (work: () => Promise<string>) => Promise<string>;
interface Access {
  readonly run: Call;
  readonly read: Call;
}
interface AdapterStorage {
  readonly repositories: Access;
  transaction(work: (access: Access) => Promise<string>): Promise<string>;
}
interface Mutex {
  run<T>(work: () => Promise<T>, waitTimeout?: number): Promise<T>;
}
interface UnitOfWork {
  readonly attempt: Attempt;
  run<T>(work: (connection: unknown) => Promise<T>): Promise<T>;
  settled(): Promise<void>;
}

/** A copy of the starter whose repositories are its path to the engine. */
const folder = mkdtempSync(join(tmpdir(), "sallyport-starter-"));
cpSync(join(import.meta.dirname, "../template"), folder, { recursive: true });
symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
writeFileSync(join(folder, "src/repositories/index.js"), "export const repositoriesOver = (access) => access;");
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (file: string) => pathToFileURL(join(folder, "src", file)).href;
const { AdapterStorage } = (await import(pathOf("adapter-storage.js"))) as {
  AdapterStorage: new (engine: unknown) => AdapterStorage;
};
const { Mutex } = (await import(pathOf("mutex.js"))) as { Mutex: new () => Mutex };
const { UnitOfWork } = (await import(pathOf("unit-of-work.js"))) as {
  UnitOfWork: new (connection: unknown, engine: unknown) => UnitOfWork;
};
const { storageArchive } = (await import(pathOf("storage-archive.js"))) as {
  storageArchive: (engine: unknown, records: unknown, ready: unknown) => StorageArchive;
};

describe("storage", () => {
  /** A storage whose repositories are its path to an engine that records how transactions begin. */
  function createFixture() {
    const begins: boolean[] = [];
    const engine = {
      withConnection: <T>(work: (connection: null) => Promise<T>) => work(null),
      isMigrated: async () => true,
      begin: async (_connection: null, reads: boolean) => void begins.push(reads),
      commit: async () => {},
    };
    return { storage: new AdapterStorage(engine), begins };
  }

  const work = async () => "done";

  test("tells the engine which calls only read", async () => {
    const { storage, begins } = createFixture();
    expect(await storage.repositories.read(work)).toBe("done");
    expect(await storage.repositories.run(work)).toBe("done");
    expect(begins).toEqual([true, false]);
  });

  test("begins every transaction as a writing one", async () => {
    const { storage, begins } = createFixture();
    expect(await storage.transaction(({ read }) => read(work))).toBe("done");
    expect(begins).toEqual([false]);
  });
});

describe("mutex", () => {
  test("runs work in order of arrival despite failures and abandoned waits", async () => {
    const mutex = new Mutex();
    const log: string[] = [];
    let finish = () => {};
    const first = mutex.run(async () => {
      log.push("first");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      log.push("first is over");
    });
    const timedOut = mutex.run(async () => void log.push("never"), 1);
    const failing = mutex.run(async () => {
      log.push("third");
      throw new Error("mine");
    });
    const last = mutex.run(async () => log.push("last"));
    await expect(timedOut).rejects.toMatchObject({ code: 607 });
    finish();
    await expect(failing).rejects.toThrow("mine");
    await Promise.all([first, last]);
    expect(log).toEqual(["first", "first is over", "third", "last"]);
  });
});

describe("unit of work", () => {
  /** A unit of work over an engine that records its calls. */
  function createFixture({ undo = () => {} } = {}) {
    const calls: string[] = [];
    const engine = {
      setSavepoint: async (_connection: unknown, depth: number) => void calls.push(`savepoint ${depth}`),
      rollBackTo: async (_connection: unknown, depth: number) => {
        calls.push(`rollback ${depth}`);
        undo();
      },
    };
    const unit = new UnitOfWork(null, engine);
    const write = (what: string) => unit.run(async () => void calls.push(what));
    const refuse = (error: unknown) =>
      unit.run(async () => {
        throw error;
      });
    return { unit, calls, write, refuse };
  }

  test("sets a savepoint for each nested transaction and rolls back to it on an error", async () => {
    const { unit, calls, write } = createFixture();
    const mine = new Error("mine");
    await unit.attempt(() => write("a"));
    const failing = unit.attempt(async () => {
      await unit.attempt(() => write("b"));
      await write("c");
      throw mine;
    });
    await expect(failing).rejects.toBe(mine);
    await write("d");
    await unit.settled();
    expect(calls).toEqual(["savepoint 1", "a", "savepoint 1", "savepoint 2", "b", "c", "rollback 1", "d"]);
  });

  test.each([{ refusal: new ServiceError(713) }, { refusal: new OutdatedModelError() }])(
    "rolls back the nested transaction of a refused call: $refusal.code",
    async ({ refusal }) => {
      const { unit, calls, write, refuse } = createFixture();
      await expect(unit.attempt(() => refuse(refusal))).rejects.toBe(refusal);
      await write("a");
      await unit.settled();
      expect(calls).toEqual(["savepoint 1", "rollback 1", "a"]);
    },
  );

  test.each([704, 706, 607] as const)("refuses all calls after %i, even in a nested transaction", async (code) => {
    const { unit, calls, write, refuse } = createFixture();
    const lost = new ServiceError(code);
    await unit.attempt(() => unit.attempt(() => refuse(lost))).catch(() => {});
    await expect(write("a")).rejects.toBe(lost);
    await expect(unit.attempt(() => write("a"))).rejects.toBe(lost);
    await expect(unit.settled()).rejects.toBe(lost);
    expect(calls).toEqual(["savepoint 1", "savepoint 2"]);
  });

  test("does not roll back a failure from before the nested transaction", async () => {
    const { unit, calls, refuse } = createFixture();
    const refusal = new ServiceError(713);
    await refuse(refusal).catch(() => {});
    await expect(unit.attempt(async () => "done")).rejects.toBe(refusal);
    await expect(unit.settled()).rejects.toBe(refusal);
    expect(calls).toEqual([]);
  });

  test("fails a nested transaction with a failed call", async () => {
    const { unit, calls, refuse } = createFixture();
    const refusal = new ServiceError(713);
    await expect(unit.attempt(() => refuse(refusal).catch(() => "done"))).rejects.toBe(refusal);
    await unit.settled();
    expect(calls).toEqual(["savepoint 1", "rollback 1"]);
  });

  test("ends the transaction if a rollback to a savepoint fails", async () => {
    const connectionLost = new ServiceError(704);
    const { unit, write } = createFixture({
      undo: () => {
        throw connectionLost;
      },
    });
    const mine = new Error("mine");
    await expect(unit.attempt(() => Promise.reject(mine))).rejects.toBe(mine);
    await expect(write("a")).rejects.toBe(connectionLost);
  });
});

describe("archive", () => {
  const settings: ArchiveRecord = {
    section: "settings",
    maintenance: false,
    modelGeneration: 1,
    macroGeneration: 0,
    objects: 0,
    lastObject: 0,
    lastAudit: 0,
    sweptStamp: 0,
  };

  /** An archive over an engine that records its calls and the number of running storage calls. */
  function createFixture({ outcome = "imported", error = null as unknown, isLocked = false } = {}) {
    const calls: string[] = [];
    const note = (what: string) => async () => void calls.push(what);
    const engine = {
      withConnection: <T>(work: (connection: null) => Promise<T>) => work(null),
      begin: note("begin"),
      commit: note("commit"),
      rollback: note("rollback"),
    };
    const records = {
      async *recordsOf() {
        yield settings;
        if (error !== null) throw error;
        yield { section: "classes", definition: { name: "File", base: null, attributes: [], rights: [] } };
      },
      async lockForImport() {
        calls.push("lock");
        return isLocked ? null : () => void calls.push("unlock");
      },
      async fill(_connection: null, all: AsyncIterable<ArchiveRecord>) {
        for await (const { section } of all) calls.push(section);
        if (error !== null) throw error;
        return outcome;
      },
    };
    const storage = { calls: 0, isOpen: true };
    const ready = async <T>(work: () => Promise<T>) => {
      if (!storage.isOpen) throw new ServiceError(706);
      storage.calls += 1;
      try {
        return await work();
      } finally {
        storage.calls -= 1;
      }
    };
    return { archive: storageArchive(engine, records, ready), calls, storage };
  }

  async function* given(...records: ArchiveRecord[]) {
    yield* records;
  }

  /** The error that a promise rejects with. */
  const reason = (promise: Promise<unknown>) =>
    promise.then(
      () => expect(null).toBe("rejected"),
      (error: unknown) => error,
    );

  test("keeps the storage open until an export is read or abandoned", async () => {
    const { archive, storage } = createFixture();
    for (const last of ["settings", "classes"]) {
      for await (const [record] of archive.export()) {
        expect(storage.calls).toBe(1);
        if (record?.section === last) break;
      }
      expect(storage.calls).toBe(0);
    }
  });

  test("refuses an export of a closed storage", async () => {
    const { archive, storage } = createFixture();
    storage.isOpen = false;
    expect(await reason(archive.export()[Symbol.asyncIterator]().next())).toMatchObject({ code: 706 });
  });

  test("ends a failed export with a ServiceError", async () => {
    const failure = new Error("driver");
    const { archive, storage } = createFixture({ error: failure });
    const parts = archive.export()[Symbol.asyncIterator]();
    expect(await reason(parts.next())).toMatchObject({ code: 799, cause: failure });
    expect(storage.calls).toBe(0);
  });

  test.each([
    ["imported", "commit"],
    ["notEmpty", "rollback"],
  ])("ends an import that is %s with a %s", async (outcome, end) => {
    const { archive, calls } = createFixture({ outcome });
    expect(await archive.import(given(settings))).toBe(outcome);
    expect(calls).toEqual(["lock", "begin", "settings", end, "unlock"]);
  });

  test("refuses a second import during the first one, and accepts it afterwards", async () => {
    const { archive } = createFixture();
    const first = archive.import(given(settings));
    expect(await archive.import(given(settings))).toBe("busy");
    expect(await first).toBe("imported");
    expect(await archive.import(given(settings))).toBe("imported");
  });

  test("refuses an import without waiting while another process imports", async () => {
    const { archive, calls, storage } = createFixture({ isLocked: true });
    expect(await archive.import(given(settings))).toBe("busy");
    expect(calls).toEqual(["lock"]);
    expect(storage.calls).toBe(0);
  });

  test("rolls back a failed import with a ServiceError, and rethrows an error of the records unchanged", async () => {
    const failure = new Error("driver");
    const failing = createFixture({ error: failure });
    expect(await reason(failing.archive.import(given(settings)))).toMatchObject({ code: 799, cause: failure });
    expect(failing.calls).toEqual(["lock", "begin", "settings", "rollback", "unlock"]);

    const mine = new Error("mine");
    const { archive, calls } = createFixture();
    async function* ending() {
      yield settings;
      throw mine;
    }
    expect(await reason(archive.import(ending()))).toBe(mine);
    expect(calls).toEqual(["lock", "begin", "settings", "rollback", "unlock"]);
  });
});
