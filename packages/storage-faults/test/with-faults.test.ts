import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fileStoreConformance } from "@sallyport/conformance-kit";
import {
  type NewObject,
  type Repositories,
  seesAll,
  ServiceError,
  type Storage,
  type FileStore,
  type SegmentName,
} from "@sallyport/core";
import {
  type CallName,
  DriverError,
  driverText,
  type Fault,
  faults,
  fileStoreFaults,
  FaultScript,
  Latch,
  type OwnCall,
  withFaults,
  FileStoreFaultScript,
  withFileStoreFaults,
} from "@sallyport/storage-faults";
import { MemoryStorage } from "@sallyport/storage-memory";
import { fileStoreUnderTest } from "@sallyport/test-kit/files/file-store-under-test";

const run = promisify(execFile);
const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
const examples = Array.from(readme.matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => code ?? "");

test("the README contains examples", () => {
  expect(examples).toHaveLength(4);
});

test.each(examples.map((code, index) => [index + 1, code] as const))(
  "runs example %i with the documented result",
  async (_number, code) => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    await expect(run(process.execPath, ["--input-type=module", "--eval", code], { cwd })).resolves.toMatchObject({
      stderr: "",
    });
  },
);

test("the README explains every fault", () => {
  const rows = readme.split("\n").filter((line) => line.startsWith("| `"));
  const explained = rows.flatMap((row) =>
    Array.from((row.split("|")[1] ?? "").matchAll(/`(\w+)/g), ([, name]) => name),
  );
  expect(explained.toSorted()).toEqual([...Object.keys(faults), ...Object.keys(fileStoreFaults)].toSorted());
});

describe("with faults", () => {
  const files: readonly NewObject[] = [1, 2, 3].map((number) => ({
    className: "File",
    attributes: { Name: `file ${number}` },
  }));
  const throttleKey = {
    key: "key",
    policy: { maxFailures: 1, initialDelay: 1_000, maxDelay: 1_000, resetAfter: 60_000 },
  };

  let inner: Storage;
  let script: FaultScript;
  let storage: Storage;

  beforeEach(async () => {
    inner = new MemoryStorage();
    await inner.migrate();
    script = new FaultScript();
    storage = withFaults(inner, script);
  });

  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );
  const outcomeOf = async (call: Promise<unknown>) => {
    const error = await errorOf(call);
    return error instanceof ServiceError ? error.code : (error ?? "done");
  };
  const count = () => inner.repositories.objects.count({ classes: ["File"] }, seesAll);
  const insertTwice = async (r: Repositories) => {
    await r.objects.insert(files);
    await r.objects.insert(files);
  };

  const cases: readonly (readonly [string, CallName, Fault, number | "done", number])[] = [
    ["lost before the call", "objects.insert", faults.lostBefore, 704, 0],
    ["lost during the call", "objects.insert", faults.lostDuring, 704, 3],
    ["lost after the call", "objects.insert", faults.lostAfter, "done", 3],
    ["not available in the pool", "objects.insert", faults.poolExhausted, 607, 0],
    ["unreachable", "objects.insert", faults.unreachable, 704, 0],
    ["timeout", "objects.insert", faults.timeout, 706, 0],
    ["lock timeout", "objects.insert", faults.lockTimeout, 706, 0],
    ["locked object", "objects.insert", faults.locked, 713, 0],
    ["unexpected error", "objects.insert", faults.unexpected, 799, 0],
    ["one conflict", "objects.insert", faults.conflict(1), "done", 3],
    ["two conflicts", "objects.insert", faults.conflict(2), "done", 3],
    ["three conflicts", "objects.insert", faults.conflict(3), 706, 0],
    ["partial write", "objects.insert", faults.partial(2), 799, 0],
    ["fault of another call", "objects.update", faults.unexpected, "done", 3],
  ];

  test.each(cases)("a single call: %s: %s, %j", async (_title, call, fault, outcome, kept) => {
    const scripted = script.add({ call, fault });
    expect(await outcomeOf(storage.repositories.objects.insert(files))).toBe(outcome);
    expect(await count()).toBe(kept);
    expect(scripted.injections > 0).toBe(call === "objects.insert");
    script.clear();
    await storage.repositories.objects.insert(files);
    expect(await count()).toBe(kept + 3);
  });

  const transactions: readonly (readonly [string, CallName, Fault, number | "done", number])[] = [
    ["connection lost before the beginning", "transaction", faults.lostBefore, 704, 0],
    ["connection lost after the beginning", "transaction", faults.lostAfter, 704, 0],
    ["connection lost before a call", "objects.insert", faults.lostBefore, 704, 0],
    ["connection lost during a call", "objects.insert", faults.lostDuring, 704, 0],
    ["connection lost after a call", "objects.insert", faults.lostAfter, 704, 0],
    ["connection lost before the commit", "commit", faults.lostBefore, 704, 0],
    ["connection lost during the commit", "commit", faults.lostDuring, 704, 6],
    ["connection lost after the commit", "commit", faults.lostAfter, "done", 6],
    ["no connection", "transaction", faults.poolExhausted, 607, 0],
    ["one conflict in a call", "objects.insert", faults.conflict(1), "done", 6],
    ["two conflicts at the commit", "commit", faults.conflict(2), "done", 6],
    ["three conflicts at the commit", "commit", faults.conflict(3), 706, 0],
    ["partial write of a call", "objects.insert", faults.partial(1), 799, 0],
  ];

  test.each(transactions)("a transaction: %s: %s, %j", async (_title, call, fault, outcome, kept) => {
    script.add({ call, fault });
    expect(await outcomeOf(storage.transaction(insertTwice))).toBe(outcome);
    expect(await count()).toBe(kept);
    script.clear();
    await storage.transaction(insertTwice);
    expect(await count()).toBe(kept + 6);
  });

  const joined: readonly (readonly [string, CallName, Fault, number | "done", number])[] = [
    ["connection lost before the request", "batch", faults.lostBefore, 704, 0],
    ["connection lost before the answer", "batch", faults.lostDuring, 704, 1],
    ["connection lost after the answer", "batch", faults.lostAfter, "done", 1],
    ["connection lost before one of the calls", "throttle.fail", faults.lostBefore, 704, 0],
    ["connection lost before the answer to one of the calls", "audit.append", faults.lostDuring, 704, 1],
    ["one call refused", "audit.append", faults.unexpected, 799, 0],
    ["two conflicts", "throttle.fail", faults.conflict(2), "done", 1],
    ["three conflicts", "batch", faults.conflict(3), 706, 0],
    ["partial write of one of the calls", "throttle.fail", faults.partial(0), 799, 0],
  ];

  test.each(joined)("a batch: %s: %s, %j", async (_title, call, fault, outcome, kept) => {
    script.add({ call, fault });
    const event = {
      type: "login.refused",
      requestId: "request",
      outcome: 302,
      appKeyId: "key",
      actorId: null,
      subjectId: null,
      address: "192.0.2.1",
      appNames: [],
      className: null,
      macroName: null,
      providerName: null,
    } as const;
    const work = storage.batch((r) => Promise.all([r.throttle.fail([throttleKey]), r.audit.append(event)]));
    expect(await outcomeOf(work)).toBe(outcome);
    expect(await inner.repositories.audit.read(0, 10)).toHaveLength(kept);
    expect((await inner.repositories.throttle.attempt([throttleKey])).wait > 0).toBe(kept > 0);
  });

  test("a failed transaction stays failed regardless of its work", async () => {
    script.add({ call: "objects.insert", nth: 2, fault: faults.unexpected });
    const work = storage.transaction(async (r) => {
      await r.objects.insert(files);
      const refused = await errorOf(r.objects.insert(files));
      expect(await errorOf(r.objects.count({ classes: ["File"] }, seesAll))).toBe(refused);
    });
    expect(await outcomeOf(work)).toBe(799);
    expect(await count()).toBe(0);
  });

  const parted: readonly (readonly [string, Fault, number | "done", number])[] = [
    ["refused call", faults.locked, "done", 6],
    ["partial write in an inner part", faults.partial(1), "done", 6],
    ["connection lost before a call", faults.lostBefore, 704, 0],
    ["connection lost after a call", faults.lostAfter, 704, 0],
    ["timeout of a call", faults.timeout, 706, 0],
    ["one conflict", faults.conflict(1), "done", 9],
    ["three conflicts", faults.conflict(3), 706, 0],
  ];

  test.each(parted)("a nested transaction with an ignored error: %s: %j", async (_title, fault, outcome, kept) => {
    script.add({ call: "objects.insert", nth: 2, fault });
    const work = storage.transaction(async (r, attempt) => {
      await r.objects.insert(files);
      await errorOf(attempt(() => attempt(() => r.objects.insert(files))));
      await r.objects.insert(files);
    });
    expect(await outcomeOf(work)).toBe(outcome);
    expect(await count()).toBe(kept);
  });

  test("a transaction with a conflict restarts and meets the same faults", async () => {
    script.add({ call: "objects.insert", nth: 2, fault: faults.conflict(2) });
    const calls = await script.record(() => storage.transaction(insertTwice));
    const run = ["objects.insert", "objects.insert"];
    expect(calls.map(({ name }) => name)).toEqual([
      "transaction",
      ...run,
      "transaction",
      ...run,
      "transaction",
      ...run,
      "commit",
    ]);
    expect(await count()).toBe(6);
  });

  test("a slow call waits for its latch without delaying others", async () => {
    const latch = new Latch();
    script.add({ call: "objects.insert", fault: faults.slow(latch) });
    const slow = storage.repositories.objects.insert(files);
    await latch.reached;
    await storage.repositories.objects.insert(files);
    expect(await count()).toBe(3);
    latch.open();
    await slow;
    expect(await count()).toBe(6);
  });

  test("slow calls of a transaction wait for their latches, as do its end and its batches", async () => {
    for (const call of ["objects.insert", "commit", "audit.append"] as const) {
      const latch = new Latch();
      script.add({ call, fault: faults.slow(latch) });
      const order: string[] = [];
      const event = {
        type: "logout.completed",
        requestId: "request",
        outcome: 0,
        appKeyId: "key",
        actorId: null,
        subjectId: null,
        address: "192.0.2.1",
        appNames: [],
        className: null,
        macroName: null,
        providerName: null,
      } as const;
      const work =
        call === "audit.append" ? storage.batch((r) => r.audit.append(event)) : storage.transaction(insertTwice);
      const done = work.then(() => order.push("done"));
      await latch.reached;
      order.push("open");
      latch.open();
      await done;
      expect(order).toEqual(["open", "done"]);
    }
    expect(await count()).toBe(12);
  });

  test.each<OwnCall>(["migrate", "alignIndexes", "readyIndexes", "health", "now"])(
    "the storage's own call %s fails, too",
    async (call) => {
      script.add({ call, nth: "every", fault: faults.unreachable });
      const own = () =>
        call === "alignIndexes" || call === "readyIndexes"
          ? storage[call]([])
          : (storage[call as "health"]() as Promise<unknown>);
      expect([await outcomeOf(own()), await outcomeOf(own())]).toEqual([704, 704]);
      script.clear();
      expect(await outcomeOf(own())).toBe("done");
    },
  );

  test("the script selects calls by number and by arguments", async () => {
    script.add({ call: "objects.insert", nth: 2, fault: faults.unreachable });
    const named = script.add({
      call: ({ given: [objects] }) => Array.isArray(objects) && objects.length === 1,
      nth: "every",
      fault: faults.unexpected,
    });
    const { objects } = storage.repositories;
    const outcomes: unknown[] = [];
    for (const inserted of [files, files, files, files.slice(1, 2), files.slice(2)])
      outcomes.push(await outcomeOf(objects.insert(inserted)));
    expect(outcomes).toEqual(["done", 704, "done", 799, 799]);
    expect(named.injections).toBe(2);
  });

  test("every fault has a driver message as its cause, or is itself a driver error", async () => {
    for (const fault of [
      faults.lostBefore,
      faults.unreachable,
      faults.poolExhausted,
      faults.locked,
      faults.unexpected,
      faults.foreign,
      faults.conflict(3),
      faults.partial(1),
    ]) {
      script.add({ call: "objects.insert", fault });
      const error = (await errorOf(storage.repositories.objects.insert(files))) as Error;
      script.clear();
      const driver = error instanceof ServiceError ? error.cause : error;
      expect(driver).toBeInstanceOf(DriverError);
      expect((driver as Error).message).toContain(driverText);
      if (error instanceof ServiceError) expect(`${error.message} ${error.detail}`).not.toContain("secrets");
    }
  });

  test("a call without a list cannot be written partially", async () => {
    script.add({ call: "objects.count", fault: faults.partial(1) });
    expect(await errorOf(storage.repositories.objects.count({ classes: ["File"] }, seesAll))).toBeInstanceOf(TypeError);
  });

  test("capabilities and close are those of the storage", async () => {
    expect(storage.capabilities).toBe(inner.capabilities);
    script.add({ call: () => true, nth: "every", fault: faults.unexpected });
    await storage.close();
    expect(await outcomeOf(inner.health())).toBe(706);
  });
});

const underTest = fileStoreUnderTest("A file store with an empty fault script", {
  wrap: (store) => withFileStoreFaults(store, new FileStoreFaultScript()),
});

await fileStoreConformance(underTest);

describe("file store with faults", () => {
  const file = "f".repeat(32);
  const segment = (digit: string): SegmentName => ({ file, segment: digit.repeat(32) });
  const bytes = Buffer.from("0123456789");

  let script: FileStoreFaultScript;
  let store: FileStore;
  let inner: FileStore;
  let destroy: () => Promise<void>;

  beforeEach(async () => {
    const opened = await fileStoreUnderTest("inner").create();
    ({ store: inner, destroy } = opened);
    script = new FileStoreFaultScript();
    store = withFileStoreFaults(inner, script);
    await inner.create(file);
    await inner.write(segment("0"), content());
  });

  afterEach(() => destroy());

  let ended = 0;
  async function* content() {
    try {
      for (let offset = 0; offset < bytes.length; offset += 4) yield bytes.subarray(offset, offset + 4);
    } finally {
      ended += 1;
    }
  }

  /** The bytes of a read, and the code of its error, 0 for none. */
  async function readOf(from: FileStore, name: SegmentName): Promise<{ text: string; code: number }> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of await from.read(name, { offset: 0, length: bytes.length })) chunks.push(chunk);
      return { text: Buffer.concat(chunks).toString(), code: 0 };
    } catch (error) {
      return { text: Buffer.concat(chunks).toString(), code: (error as ServiceError).code };
    }
  }

  const whole = { text: "0123456789", code: 0 };
  const missing = { text: "", code: 707 };

  test.each([
    ["full", 702, fileStoreFaults.full],
    ["gone", 709, fileStoreFaults.gone],
    ["unexpected", 799, fileStoreFaults.unexpected],
    ["fullAfter(0)", 702, fileStoreFaults.fullAfter(0)],
    ["fullAfter(5)", 702, fileStoreFaults.fullAfter(5)],
    ["fullAfter(10)", 702, fileStoreFaults.fullAfter(10)],
    ["fullAfter(1000)", 702, fileStoreFaults.fullAfter(1_000)],
    ["goneAfter(5)", 709, fileStoreFaults.goneAfter(5)],
  ])("fails a write and stores nothing: %s", async (_name, code, fault) => {
    const scripted = script.add({ call: "write", fault });
    const failed = store.write(segment("1"), content());
    await expect(failed).rejects.toMatchObject({ code, cause: { message: expect.stringContaining(driverText) } });
    expect(scripted.injections).toBe(1);
    expect(await readOf(inner, segment("1"))).toEqual(missing);
    await expect(store.write(segment("2"), content())).resolves.toBe(10);
  });

  test("stores the segment of a write whose answer is lost", async () => {
    script.add({ call: "write", fault: fileStoreFaults.answerLost });
    await expect(store.write(segment("1"), content())).rejects.toMatchObject({ code: 702 });
    expect(await readOf(store, segment("1"))).toEqual(whole);
  });

  test("ends the content of a write that fails in the middle", async () => {
    ended = 0;
    script.add({ call: "write", fault: fileStoreFaults.fullAfter(5) });
    await expect(store.write(segment("1"), content())).rejects.toThrow(ServiceError);
    expect(ended).toBe(1);
  });

  test.each([
    ["unreadable", { text: "", code: 707 }, fileStoreFaults.unreadable],
    ["unreadableAfter(0)", { text: "", code: 707 }, fileStoreFaults.unreadableAfter(0)],
    ["unreadableAfter(7)", { text: "0123456", code: 707 }, fileStoreFaults.unreadableAfter(7)],
    ["truncated(7)", { text: "0123456", code: 0 }, fileStoreFaults.truncated(7)],
    ["truncated(0)", { text: "", code: 0 }, fileStoreFaults.truncated(0)],
    ["truncated(99)", whole, fileStoreFaults.truncated(99)],
  ])("fails a read: %s", async (_name, expected, fault) => {
    script.add({ call: "read", fault });
    expect(await readOf(store, segment("0"))).toEqual(expected);
    expect(await readOf(store, segment("0"))).toEqual(whole);
  });

  test("slows a read before it starts, and after some bytes", async () => {
    for (const [bytesBefore, seen] of [
      [null, ""],
      [0, ""],
      [6, "012345"],
    ] as const) {
      const latch = new Latch();
      script.add({ call: "read", fault: fileStoreFaults.slow(latch, bytesBefore) });
      let text = "";
      const reading = (async () => {
        for await (const chunk of await store.read(segment("0"), { offset: 0, length: 10 }))
          text += Buffer.from(chunk).toString();
      })();
      await latch.reached;
      expect(text).toBe(seen);
      latch.open();
      await reading;
      expect(text).toBe("0123456789");
    }
  });

  test("slows a write after some bytes", async () => {
    const latch = new Latch();
    script.add({ call: "write", fault: fileStoreFaults.slow(latch, 6) });
    const writing = store.write(segment("1"), content());
    await latch.reached;
    expect(await readOf(inner, segment("1"))).toEqual(missing);
    latch.open();
    await expect(writing).resolves.toBe(10);
    expect(await readOf(inner, segment("1"))).toEqual(whole);
  });

  test("fails the selected calls, and records all", async () => {
    script.add({ call: "create", fault: fileStoreFaults.notCreatable });
    script.add({ call: "list", nth: 2, fault: fileStoreFaults.gone });
    script.add({
      call: ({ name, given }) => name === "remove" && "file" in Object(given[0]),
      fault: fileStoreFaults.foreign,
    });
    const page = { after: null, limit: 5 };
    const calls = await script.record(async () => {
      await expect(store.create("e".repeat(32))).rejects.toMatchObject({ code: 700 });
      await expect(store.list(page)).resolves.toMatchObject([{ file }]);
      await expect(store.list(page)).rejects.toMatchObject({ code: 709 });
      await store.remove([segment("0")]);
      await expect(store.remove({ file })).rejects.toMatchObject({ name: "DriverError" });
    });
    expect(calls.map(({ name }) => name)).toEqual(["create", "list", "list", "remove", "remove"]);
    expect(await inner.list(page)).toMatchObject([{ file }]);
  });

  test.each([
    ["create", () => store.create("e".repeat(32))],
    ["freeBytes", () => store.freeBytes()],
  ] as const)("refuses a fault in the bytes of %s", async (call, run) => {
    script.add({ call, fault: fileStoreFaults.fullAfter(3) });
    await expect(run()).rejects.toThrow(`${call} has no bytes`);
  });

  test("ends the inner read, even before its first step", async () => {
    script.add({ call: "read", nth: "every", fault: fileStoreFaults.truncated(3) });
    const iterator = (await store.read(segment("0"), { offset: 0, length: 10 }))[Symbol.asyncIterator]();
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});
