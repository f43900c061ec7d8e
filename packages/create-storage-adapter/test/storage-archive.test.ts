import { fileURLToPath } from "node:url";
import { type ArchiveRecord, ServiceError, type StorageArchive } from "@sallyport/core";

const module = fileURLToPath(new URL("../template/src/storage-archive.js", import.meta.url));
const { storageArchive } = (await import(module)) as {
  storageArchive: (engine: unknown, records: unknown, ready: unknown) => StorageArchive;
};

const settings: ArchiveRecord = {
  section: "settings",
  maintenance: false,
  modelGeneration: 1,
  macroGeneration: 0,
  objects: 0,
  lastObject: 0,
  lastAudit: 0,
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
