import { execFile } from "node:child_process";
import { join } from "node:path";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";
import { isFullRun } from "@sallyport/test-kit/scope";
import { readContracts } from "../src/contract/contracts.ts";
import { everyCall } from "../src/fixtures/every-call.ts";
import { blockedMessage } from "../src/watch/blocked-message.ts";
import { allBrokenAdapters } from "./broken/all-broken-adapters.ts";
import { brokenMemories } from "./broken/broken-memories.ts";
import { brokenBatches } from "./broken/broken-processes.ts";
import { exactlyCaught } from "./broken/exactly-caught/all-exactly-caught.ts";
import { brokenRecordProcesses } from "./broken/records/broken-record-processes.ts";

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
    const storage = new MemoryStorage(options);
    return { storage, destroy: () => storage.close() };
  },
};

const calls = [...readContracts().keys()];

test("reads the contracts of all ports", () => {
  expect(calls).toEqual(
    expect.arrayContaining([
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
    calls.filter((call) => !/^(?:storage|archive)\./.test(call)).toSorted(),
  );
});

test("checks every call of every port", async () => {
  const { results } = await runChecks(memory);
  const made = new Set(results.filter(({ name }) => !callEverything.has(name)).flatMap((result) => result.calls));
  expect(calls.filter((call) => !made.has(call))).toEqual([]);
  // Otherwise a name has changed.
  expect(results.filter(({ name }) => callEverything.has(name))).toHaveLength(callEverything.size);
}, 120_000);

describe("exact failures", () => {
  /** Milliseconds for a part of the kit on a busy machine. */
  const timeout = 120_000;

  const alone: readonly AdapterUnderTest[] = allBrokenAdapters.flatMap(([, adapters]) =>
    adapters.map(({ fault, create }) => ({
      name: fault,
      create: async (options) => {
        const storage = create(options);
        return { storage, destroy: () => storage.close() };
      },
    })),
  );
  const shared: readonly AdapterUnderTest[] = [...brokenBatches, ...brokenRecordProcesses, ...brokenMemories].map(
    ({ fault, create }) => ({
      name: fault,
      create,
    }),
  );

  async function failuresOf(adapter: AdapterUnderTest, sections: readonly string[]): Promise<string[]> {
    const { results } = await runChecks(adapter, {
      checks: checks.filter(({ section }) => sections.includes(section)),
    });
    return results.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  }

  // All of them take a minute.
  test.each(isFullRun ? exactlyCaught : exactlyCaught.filter((_, index) => index % 6 === 0))(
    "$fault: fails exactly the expected checks",
    async ({ fault, sections, checks: broken }) => {
      const found = [...alone, ...shared].filter(({ name }) => name === fault);
      expect(found).toHaveLength(1);
      for (const adapter of found) expect((await failuresOf(adapter, sections)).toSorted()).toEqual(broken.toSorted());
    },
    timeout,
  );

  test(
    "the intact storage passes all of these sections",
    async () => {
      const intact: AdapterUnderTest = {
        name: "intact",
        create: async (options) => {
          const storage = new MemoryStorage(options);
          return { storage, destroy: () => storage.close() };
        },
      };
      expect(
        await failuresOf(
          intact,
          exactlyCaught.flatMap(({ sections }) => sections),
        ),
      ).toEqual([]);
    },
    timeout,
  );

  test("cover more than thirty faults in most sections", () => {
    expect(exactlyCaught.length).toBeGreaterThan(30);
    expect(new Set(exactlyCaught.flatMap(({ sections }) => sections)).size).toBeGreaterThan(12);
  });
});
