import { execFile } from "node:child_process";
import { join } from "node:path";
import {
  type AdapterUnderTest,
  type Check,
  checks,
  runCheck,
  runChecks,
  fileStoreCheckAppliesTo,
  fileStoreChecks,
  fileStoreGroups,
  numberOfFileStoreChecks,
  runFileStoreCheck,
} from "@sallyport/conformance-kit";
import { MemoryKernel, MemoryStorage } from "@sallyport/storage-memory";
import { fileStoreUnderTest } from "@sallyport/test-kit/files/file-store-under-test";
import { readContracts } from "../src/contract/contracts.ts";
import { changeReadersChecks } from "../src/sections/changes/readers.ts";
import { everyCall } from "../src/fixtures/every-call.ts";
import { blockedMessage } from "../src/watch/blocked-message.ts";
import { brokenAdapters, brokenDatabases } from "./broken/all-broken-adapters.ts";
import { type Create, brokenStorage } from "./broken/broken-adapter.ts";
import { SharedDatabase } from "./broken/shared-database.ts";
import { sideBySide, soundly } from "./broken/side-by-side.ts";
import { brokenContents } from "./file-stores/broken-contents.ts";
import { brokenFailures } from "./file-stores/broken-failures.ts";
import { leaked } from "./file-stores/broken-file-store.ts";
import { brokenReads } from "./file-stores/broken-reads.ts";
import { brokenRemovalsAndLists } from "./file-stores/broken-removals-and-lists.ts";

/** Fails, and by no mistake in the fault itself. */
async function expectFailure(adapter: AdapterUnderTest, check: string): Promise<void> {
  const { outcome, error } = await runCheck(adapter, check);
  expect({ outcome, error: String(error) }).toMatchObject({ outcome: "failed" });
  expect(["ConformanceError", "ServiceError"]).toContain((error as Error).name);
}

describe("broken adapters", () => {
  const needsOf = (name: string) => checks.find((check) => check.name === name)?.needs;

  /** For a check of several processes, all of them are connections of one broken storage. */
  function adapter(name: string, create: Create, needs: Check["needs"] = null): AdapterUnderTest {
    return {
      name,
      create: async (options) => {
        const storage = create(options);
        const destroy = () => storage.close();
        if (needs !== "severalProcesses") return { storage, destroy };
        const capabilities = { ...storage.capabilities, severalProcesses: true };
        const another = async () => brokenStorage(storage, { capabilities, close: async () => {} });
        return { storage: await another(), another, destroy };
      },
    };
  }

  const sound: Create = (options) => new MemoryStorage(options);

  const outcomes = new Map<string, string>();

  /** The outcome of the check with an intact storage. */
  async function outcomeOfSound(check: string): Promise<string> {
    const outcome = outcomes.get(check) ?? (await runCheck(adapter("sound", sound), check)).outcome;
    outcomes.set(check, outcome);
    return outcome;
  }

  describe.each(brokenAdapters)("faults in %s", (_part, adapters) => {
    const cases = adapters.flatMap(({ fault, caughtBy: names, create }) =>
      names.map((caughtBy) => ({ fault, caughtBy, create })),
    );

    test.each(cases)('$fault: fails "$caughtBy"', async ({ fault, caughtBy, create }) => {
      const needs = needsOf(caughtBy);
      expect(await outcomeOfSound(caughtBy)).toBe(needs === null ? "passed" : "notApplicable");
      await expectFailure(adapter(fault, create, needs), caughtBy);
    });
  });

  test("a storage with an index limit passes if it keeps the limit", async () => {
    const limited = adapter("limited", (options) => {
      const storage = new MemoryStorage(options);
      return brokenStorage(storage, {
        capabilities: { ...storage.capabilities, indexesPerTable: 20 },
        alignIndexes: (wanted) => storage.alignIndexes(wanted.slice(0, 20)),
      });
    });
    const { results } = await runChecks(limited, { checks: checks.filter(({ needs }) => needs === "indexesPerTable") });
    expect(results.map(({ outcome }) => outcome)).toEqual(["passed"]);
  });

  // This storage keeps no readers of before.
  const unreported = new Set([
    ...changeReadersChecks.map(({ name }) => name),
    "reports no readers of before if the transaction of a creation changes them",
  ]);
  const ofStamps = checks.filter(
    ({ section, needs, name }) => section === "changes" && needs === null && !unreported.has(name),
  );

  test.each(ofStamps.map(({ name }) => name))(
    "a storage with overlapping transactions and sound stamps passes: %s",
    async (name) => {
      expect(
        await runCheck(
          adapter("side by side", (options) => sideBySide(options, soundly)),
          name,
        ),
      ).toMatchObject({ outcome: "passed" });
    },
  );
});

describe("broken processes", () => {
  const sound: AdapterUnderTest = { name: "sound", create: async (options) => new SharedDatabase(options).underTest() };

  const ofSeveralProcesses = checks.filter(({ needs }) => needs === "severalProcesses" || needs === "durable");

  test("processes that share a database correctly pass", async () => {
    const { results } = await runChecks(sound, { checks: ofSeveralProcesses });
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  }, 120_000);

  describe.each(brokenDatabases)("faults in %s", (_where, broken) => {
    const cases = broken.flatMap(({ fault, caughtBy: names, create }) =>
      names.map((caughtBy) => ({ fault, caughtBy, create })),
    );

    test.each(cases)('$fault: fails "$caughtBy"', ({ fault, caughtBy, create }) =>
      expectFailure({ name: fault, create }, caughtBy),
    );
  });
});

describe("the kit", () => {
  describe("event loop watch", () => {
    const folder = join(import.meta.dirname, "modules");
    const some = ["closes without a previous migration", "is healthy after the migration"];
    const chosen = some.flatMap((name) => ["--check", name]);

    /** Runs the command with a short time limit. It exits on its own, because `process.exit` has no effect. */
    function run(
      ...args: readonly string[]
    ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
      return new Promise((resolve) => {
        execFile(
          process.execPath,
          ["soon-told.mjs", ...args],
          { cwd: folder, timeout: 60_000 },
          (error, stdout, stderr) => {
            resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
          },
        );
      });
    }

    test("reports an adapter that blocks the event loop once, with the running checks", async () => {
      const { code, stdout, stderr } = await run("hog.mjs", ...chosen);
      expect({ code, stderr }).toEqual({ code: 0, stderr: `${blockedMessage(some, 900)}\n` });
      expect(stdout).toContain("2 passed, 0 failed");
    }, 60_000);

    test("reports nothing for an adapter that does not block, and keeps no process alive", async () => {
      expect(await run("memory.mjs", "--section", "throttle")).toMatchObject({ code: 0, stderr: "" });
    }, 60_000);

    test("names the running checks and the remedy", () => {
      expect(blockedMessage(["shares one clock across processes"], 30_000)).toBe(
        'The adapter has blocked the event loop for 30 s during this check: "shares one clock across processes". No timer fires, not even the time limit of the checks. Let the adapter await setImmediate once per call or transaction.',
      );
      expect(blockedMessage([], 30_000)).toMatch(
        /^The adapter has blocked the event loop for 30 s outside the checks\. /,
      );
    });
  });

  /** These checks make every call only for its failure or its existence. */
  const callEverything: ReadonlySet<string> = new Set([
    "answers 705 to every call until it is migrated",
    "answers 706 to every call after it is closed",
    "offers every call inside a transaction",
  ]);

  const memory = {
    name: "memory",
    create: async (options: { readonly clockOffset: () => number }) => {
      const kernel = new MemoryKernel(options);
      return { kernel, destroy: () => kernel.close() };
    },
  };

  const calls = [...readContracts().keys()];

  test("reads the contracts of all ports", () => {
    expect(calls).toEqual(
      expect.arrayContaining([
        "kernel.read",
        "reader.watermark",
        "transaction.put",
        "storage.transaction",
        "storage.close",
        "archive.import",
        "sessions.open",
        "settings.setMaintenance",
        "throttle.sweep",
      ]),
    );
  });

  test("covers every repository call in the checks that make all of them", () => {
    const { repositories } = new MemoryStorage();
    expect([...everyCall(repositories).keys()].toSorted()).toEqual(
      calls.filter((call) => !/^(?:storage|archive|kernel|reader|transaction)\./.test(call)).toSorted(),
    );
  });

  test("checks every call of every port", async () => {
    const { results } = await runChecks(memory);
    const made = new Set(results.filter(({ name }) => !callEverything.has(name)).flatMap((result) => result.calls));
    expect(calls.filter((call) => !made.has(call))).toEqual([]);
    // Otherwise a name has changed.
    expect(results.filter(({ name }) => callEverything.has(name))).toHaveLength(callEverything.size);
  }, 120_000);
});

const brokenFileStores = [...brokenContents, ...brokenFailures, ...brokenReads, ...brokenRemovalsAndLists];

/** The failure of a check with a broken store, `null` if it passes. */
async function failureOf(
  { fault, wrap }: Pick<(typeof brokenFileStores)[number], "fault" | "wrap">,
  name: string,
): Promise<string | null> {
  const check = fileStoreChecks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`There is no check "${name}".`);
  try {
    await runFileStoreCheck(fileStoreUnderTest(fault, { wrap, timeLimit: 4_000 }), check);
    return null;
  } catch (error) {
    return String(error);
  }
}

afterEach(async () => {
  for (const handle of leaked.splice(0)) await handle.close();
});

describe("file store checks", () => {
  const cases = brokenFileStores.flatMap((each) => each.caughtBy.map((caughtBy) => ({ ...each, caughtBy })));

  test.each(cases)('$fault: fails "$caughtBy"', async ({ fault, wrap, caughtBy }) => {
    const failure = await failureOf({ fault, wrap }, caughtBy);
    // A failure of the check or of the store, not a mistake in either.
    expect(failure).toMatch(/^(?:ConformanceError|ServiceError): /);
  });

  test("each fails with a broken store", () => {
    const caught = new Set(brokenFileStores.flatMap(({ caughtBy }) => caughtBy));
    expect(fileStoreChecks.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
  });

  test("have the declared number, unique names, and all groups", () => {
    expect(fileStoreChecks).toHaveLength(numberOfFileStoreChecks);
    expect(new Set(fileStoreChecks.map(({ name }) => name)).size).toBe(numberOfFileStoreChecks);
    expect(new Set(fileStoreChecks.map(({ group }) => group))).toEqual(new Set(fileStoreGroups));
  });

  test("leave out what needs a hook that the store lacks, and nothing else", () => {
    const { takeAway: _hook, ...underTest } = fileStoreUnderTest("without a hook");
    const left = fileStoreChecks.filter((check) => !fileStoreCheckAppliesTo(underTest, check));
    expect(left.filter(({ needs }) => needs !== "descriptors").map(({ name }) => name)).toEqual([
      "fails with 709 once the store is gone",
      "fails with 709 if the store goes during a write",
      "answers 707 to reads and ignores removals once the store is gone",
    ]);
  });
});
