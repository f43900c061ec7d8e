import {
  type AdapterUnderTest,
  type Check,
  checks,
  runCheck,
  runChecks,
  type StorageUnderTest,
} from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";

function adapter(changes: (storage: MemoryStorage) => Partial<StorageUnderTest> = () => ({})): AdapterUnderTest {
  return {
    name: "memory",
    create: async (options) => {
      const storage = new MemoryStorage(options);
      return { storage, destroy: () => storage.close(), ...changes(storage) };
    },
  };
}

function check(run: Check["run"], changes: Partial<Check> = {}): Check {
  return { section: "any", name: "any", needs: null, migrated: true, run, ...changes };
}

test("finds a check by its name", async () => {
  const name = "is healthy after the migration";
  expect(await runCheck(adapter(), name)).toMatchObject({ section: "lifecycle", name, outcome: "passed" });
  await expect(runCheck(adapter(), "is everything")).rejects.toThrow('There is no check "is everything".');
});

test("runs every check, or reports it as not applicable", async () => {
  const { results } = await runChecks(adapter());
  expect(results.map(({ name }) => name)).toEqual(checks.map(({ name }) => name));
  const notApplicable = results.filter(({ outcome }) => outcome === "notApplicable").map(({ name }) => name);
  expect(notApplicable).toEqual(checks.filter(({ needs }) => needs !== null).map(({ name }) => name));
  expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
}, 120_000);

test("fails if a storage declares several processes without a second connection", async () => {
  const severalProcesses = adapter((storage) => {
    const capabilities = { ...storage.capabilities, severalProcesses: true };
    return { storage: Object.assign(Object.create(storage) as MemoryStorage, { capabilities }) };
  });
  expect(await runCheck(severalProcesses, "shares one clock across processes")).toMatchObject({
    outcome: "failed",
    error: { name: "ConformanceError" },
  });
});

test("migrates the database first, unless the check does it", async () => {
  const health = check(({ storage }) => storage.health());
  expect(await runCheck(adapter(), health)).toMatchObject({ outcome: "passed" });
  expect(await runCheck(adapter(), { ...health, migrated: false })).toMatchObject({
    outcome: "failed",
    error: { code: 705 },
  });
});

test("stops at the time limit of the adapter", async () => {
  const hanging = check(() => new Promise(() => {}));
  expect(await runCheck({ ...adapter(), timeLimit: 50 }, hanging)).toMatchObject({
    outcome: "failed",
    error: { message: "The check did not end within 0.05 s." },
  });
});

test("gives every check its own clock", async () => {
  const start = Date.now();
  const advancing = check(async ({ storage, advance }) => {
    advance(3_600_000);
    const moved = (await storage.now()) - start;
    if (moved < 3_600_000 || moved >= 7_200_000) throw new Error(`moved by ${moved}`);
  });
  for (let round = 0; round < 2; round += 1)
    expect(await runCheck(adapter(), advancing)).toMatchObject({ outcome: "passed" });
});

test("distinguishes unwritten calls from failures", async () => {
  const notImplemented = Object.assign(new Error("sessions.count is not implemented yet."), { name: "NotImplemented" });
  const unimplemented = adapter((storage) => {
    const repositories = {
      ...storage.repositories,
      sessions: { ...storage.repositories.sessions, count: () => Promise.reject(notImplemented) },
    };
    return {
      storage: Object.assign(Object.create(storage) as MemoryStorage, {
        repositories,
        now: () => {
          throw notImplemented;
        },
      }),
    };
  });
  const wanting = check(async ({ r }) => {
    // The error is hidden by the check.
    if ((await r.sessions.count().catch(() => -1)) !== 0) throw new Error("wrong");
  });
  expect(await runCheck(unimplemented, wanting)).toMatchObject({ outcome: "notImplemented", error: notImplemented });
  expect(
    await runCheck(
      unimplemented,
      check(async ({ storage }) => void (await storage.now())),
    ),
  ).toMatchObject({ outcome: "notImplemented", error: notImplemented });
  expect(
    await runCheck(
      unimplemented,
      check(async ({ r }) => void (await r.sessions.count().catch(() => 0))),
    ),
  ).toMatchObject({ outcome: "passed" });
  expect(
    await runCheck(
      unimplemented,
      check(() => Promise.reject(new Error("wrong"))),
    ),
  ).toMatchObject({ outcome: "failed" });
  expect(await runCheck({ name: "nothing", create: () => Promise.reject(notImplemented) }, wanting)).toMatchObject({
    outcome: "notImplemented",
    error: notImplemented,
  });
});

test("removes the database after every outcome", async () => {
  const destroyed: string[] = [];
  const watched = adapter((storage) => ({
    destroy: async () => {
      destroyed.push("destroyed");
      await storage.close();
    },
  }));
  await runCheck(
    watched,
    check(() => Promise.reject(new Error("broken"))),
  );
  await runCheck(
    watched,
    check(async () => {}, { needs: "durable" }),
  );
  expect(destroyed).toEqual(["destroyed", "destroyed"]);
});

test("reports a database that cannot be created", async () => {
  const error = new Error("no room");
  const broken: AdapterUnderTest = { name: "broken", create: () => Promise.reject(error) };
  expect(await runCheck(broken, "shares one clock across processes")).toMatchObject({ outcome: "failed", error });
});
