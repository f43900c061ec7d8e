import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AdapterUnderTest,
  type Check,
  checks,
  runCheck,
  runChecks,
  type StorageUnderTest,
  findDifference,
  memoryReference,
} from "@sallyport/conformance-kit";
import type { Repositories, StorageCapabilities } from "@sallyport/storage";
import { MemoryKernel, MemoryStorage } from "@sallyport/storage-memory";
import { type Create, brokenStorage, unguarded } from "./broken/broken-adapter.ts";
import { differingInHistories, differingInQueries, findingOtherwise } from "./broken/differing-adapters.ts";

describe("run check", () => {
  function adapter(changes: (storage: MemoryStorage) => Partial<StorageUnderTest> = () => ({})): AdapterUnderTest {
    return {
      name: "memory",
      create: async (options) => {
        const storage = new MemoryStorage(options);
        return { storage, destroy: () => storage.close(), ...changes(storage) };
      },
    };
  }

  /** An adapter of a kernel that declares these capabilities. */
  function kernelAdapter(declared: Partial<StorageCapabilities> = {}, hasAnother = true): AdapterUnderTest {
    return {
      name: "memory",
      create: async (options) => {
        const kernel = new MemoryKernel(options);
        Object.assign(kernel.capabilities, declared);
        return { kernel, ...(hasAnother ? { another: async () => kernel } : {}), destroy: () => kernel.close() };
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

  test("runs the checks of kernels on a kernel, and those of storages on the storage that it makes of it", async () => {
    const { kind, results } = await runChecks(kernelAdapter());
    expect(kind).toBe("kernel");
    const applicable = ({ needs, needsOfKernel }: Check) =>
      (needs === null || needs === "kernel") && (needsOfKernel ?? null) === null;
    const passed = results.filter(({ outcome }) => outcome === "passed").map(({ name }) => name);
    expect(passed).toEqual(checks.filter(applicable).map(({ name }) => name));
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  }, 120_000);

  test.each([
    ["a kernel, of a storage", adapter(), "rethrows the error of a read unchanged", "kernel"],
    ["a capability, of a kernel", kernelAdapter(), "migrates concurrently in several processes", "severalProcesses"],
    ["a capability, of both", kernelAdapter(), "shares one clock across processes", "severalProcesses"],
    [
      "conflicts, of a kernel without parallel transactions",
      kernelAdapter({ severalProcesses: true }),
      "retries after a serialization failure in a nested transaction, handled or not",
      "parallelTransactions",
    ],
  ])("names what is missing: %s", async (_what, tested, name, missing) => {
    expect(await runCheck(tested, name)).toMatchObject({ outcome: "notApplicable", missing });
  });

  test.each([
    ["a second connection", { severalProcesses: true }, false, "migrates concurrently in several processes"],
    ["a way to reopen it", { durable: true }, false, "keeps rows and places after it is reopened"],
    [
      "conflicts",
      { severalProcesses: true, parallelTransactions: true },
      true,
      "retries after a serialization failure in a nested transaction, handled or not",
    ],
    [
      "refusals",
      { severalProcesses: true },
      true,
      "reports a refusal of the database as such, without a retry, and goes on",
    ],
  ])("fails if a kernel does not provide what it declares: %s", async (_what, declared, hasAnother, name) => {
    expect(await runCheck(kernelAdapter(declared, hasAnother), name)).toMatchObject({
      outcome: "failed",
      error: { name: "ConformanceError", message: expect.stringMatching(/declares (?:severalProcesses|durable), but/) },
    });
  });

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
    const notImplemented = Object.assign(new Error("sessions.count is not implemented yet."), {
      name: "NotImplemented",
    });
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
});

describe("differential comparison", () => {
  /** Milliseconds for some thousands of small scenarios. */
  const timeout = 120_000;

  const options = { runs: 300, seed: 42 };

  function adapter({ fault, create }: { readonly fault: string; readonly create: Create }): AdapterUnderTest {
    return {
      name: fault,
      create: async (input) => {
        const storage = create(input);
        return { storage, destroy: () => storage.close() };
      },
    };
  }

  test(
    "finds no difference for an adapter that matches the reference",
    async () => {
      expect(await findDifference(memoryReference, { ...memoryReference, name: "another" }, options)).toBeNull();
    },
    timeout,
  );

  test.each(differingInQueries)(
    "finds a storage that $fault with a query of few objects",
    async (differing) => {
      const difference = await findDifference(memoryReference, adapter(differing), options);
      expect(difference?.scenario.kind).toBe("query");
      if (difference?.scenario.kind !== "query") return;
      // The fault needs no more than these steps.
      expect(difference.scenario.objects.length).toBeLessThanOrEqual(6);
      expect(
        Object.values(difference.scenario.objects).flatMap(({ attributes }) => Object.keys(attributes)).length,
      ).toBeLessThanOrEqual(12);
      expect(difference.actual).not.toEqual(difference.expected);
    },
    timeout,
  );

  test.each(differingInHistories)(
    "finds a storage that $fault with a history of few steps",
    async (differing) => {
      const difference = await findDifference(memoryReference, adapter(differing), {
        runs: 0,
        histories: 300,
        seed: 4,
      });
      expect(difference?.scenario.kind).toBe("history");
      if (difference?.scenario.kind !== "history") return;
      expect(difference.scenario.steps.length).toBeLessThanOrEqual(6);
      expect(difference.actual).not.toEqual(difference.expected);
    },
    timeout,
  );

  test(
    "finds a storage that keeps a rolled-back transaction",
    async () => {
      const create: Create = (input) => {
        const storage = new MemoryStorage(input);
        return brokenStorage(storage, { transaction: (work) => work(storage.repositories as Repositories, unguarded) });
      };
      const difference = await findDifference(memoryReference, adapter({ fault: "keeps", create }), {
        runs: 0,
        histories: 300,
        seed: 42,
      });
      expect(difference?.scenario).toMatchObject({ kind: "history" });
    },
    timeout,
  );

  test(
    "finds the same difference with the same seed",
    async () => {
      const broken = adapter(differingInQueries[1] as (typeof differingInQueries)[number]);
      const [one, other] = [
        await findDifference(memoryReference, broken, options),
        await findDifference(memoryReference, broken, options),
      ];
      expect(one).toEqual(other);
    },
    timeout,
  );

  test(
    "reports an adapter that throws or keeps a page as different",
    async () => {
      const throws = findingOtherwise(async () => {
        throw new RangeError("no such page");
      });
      expect(
        await findDifference(memoryReference, adapter({ fault: "throws", create: throws }), options),
      ).toMatchObject({
        actual: { failure: expect.stringContaining("RangeError: no such page") },
      });
      const repeats = findingOtherwise(async () => ({ objects: [], last: { values: [], id: "1" } }));
      expect(
        await findDifference(memoryReference, adapter({ fault: "repeats", create: repeats }), options),
      ).not.toBeNull();
    },
    timeout,
  );
});

describe("generated test", () => {
  const modules = join(join(import.meta.dirname, "differential"), "..", "modules");
  const program = join(join(import.meta.dirname, "differential"), "..", "..", "dist", "main.js");

  /** Milliseconds for a comparison in its own process on a busy machine. */
  const timeout = 120_000;

  interface Ended {
    readonly code: number;
    readonly stdout: string;
  }

  function node(...args: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      execFile(process.execPath, [...args], { cwd: modules }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout }),
      );
    });
  }

  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-differential-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ["a query", "dictionary-order.mjs", 'kind: "query"'],
    ["a history", "lost-update.mjs", 'kind: "history"'],
  ])(
    "fails with the adapter and passes with the reference after %s",
    async (_title, module, kind) => {
      const json = join(folder, `${module}.json`);
      const compared = await node(program, `./${module}`, "--differential", "1000", "--seed", "7", "--json", json);
      expect(compared.code).toBe(1);
      expect(compared.stdout).toContain(`Rerun: npx sallyport-conformance ./${module} --differential 1000 --seed 7`);
      const printed = /^\/\/ Found with the seed 7\.[^]*/m.exec(compared.stdout)?.[0] ?? "";
      expect(printed).toContain(kind);

      const report = JSON.parse(await readFile(json, "utf8"));
      expect(report).toMatchObject({
        format: "sallyport-differential",
        version: 1,
        reference: "MemoryStorage",
        queries: 1_000,
        histories: 50,
        seed: 7,
        test: printed,
      });
      expect(report.difference.actual).not.toEqual(report.difference.expected);

      const asModule = (text: string) => node("--input-type=module", "--eval", text);
      const failed = await asModule(printed);
      expect(failed.code).toBe(1);
      expect(failed.stdout).toMatch(/AssertionError|ERR_ASSERTION/);
      const reference = printed.replace(`./${module}`, "./memory.mjs");
      expect(reference).not.toBe(printed);
      expect(await asModule(reference)).toMatchObject({ code: 0 });
    },
    timeout,
  );

  test(
    "reports an adapter without a difference in one line",
    async () => {
      const json = join(folder, "memory.json");
      const { code, stdout } = await node(program, "memory.mjs", "--differential", "50", "--seed", "3", "--json", json);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: "MemoryStorage matches MemoryStorage: 50 random queries and 3 random histories of writes, seed 3.\n",
      });
      expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject({ difference: null, queries: 50 });
    },
    timeout,
  );
});
