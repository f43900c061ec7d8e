import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type NewObject, type Repositories, seesAll, ServiceError, type Storage } from "@sallyport/storage";
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
} from "@sallyport/testing/faults";
import { MemoryStorage } from "@sallyport/storage-memory";

const run = promisify(execFile);
const guide = await readFile(new URL("../../../../docs/guides/testing/faults.md", import.meta.url), "utf8");
const examples = Array.from(guide.matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => code ?? "");

test("the guide contains examples", () => {
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

test("the guide explains every fault", () => {
  const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
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
    ["full disk", "objects.insert", faults.diskFull, 706, 0],
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
      changes: [],
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
        changes: [],
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
      call: ({ args: [objects] }) => Array.isArray(objects) && objects.length === 1,
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
