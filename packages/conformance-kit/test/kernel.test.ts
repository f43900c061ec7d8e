import { execFile } from "node:child_process";
import { join } from "node:path";
import {
  type AdapterUnderTest,
  anomalies,
  checks,
  type ConformanceError,
  exploreSchedules,
  parseSchedule,
  raceText,
  randomScenarios,
  replaySchedule,
  runCheck,
  runChecks,
} from "@sallyport/conformance-kit";
import { MemoryKernel } from "@sallyport/storage-memory";
import { isFullRun } from "@sallyport/test-kit/scope";
import { brokenKernelProcesses } from "./kernel/broken-kernel-processes.ts";
import { brokenKernels } from "./kernel/broken-kernels.ts";
import { type Isolation, versionedKernel } from "./kernel/versioned-kernel.ts";

/** Milliseconds for a part of the kit on a busy machine. */
const timeout = 120_000;

const ofIsolation = (isolation: Isolation) => versionedKernel({ isolation }).kernel;

describe("kernel section", () => {
  const cases = [...brokenKernels, ...brokenKernelProcesses].flatMap(({ fault, caughtBy, create }) =>
    caughtBy.map((check) => ({ fault, check, create })),
  );

  test.each(cases)(
    '$fault: fails "$check"',
    async ({ fault, check, create }) => {
      const { outcome, error } = await runCheck(
        { name: fault, timeLimit: 10_000, create: async (options) => create(options) },
        check,
      );
      expect(outcome).toBe("failed");
      // Any other error is a mistake in the fault itself.
      expect(["ConformanceError", "ServiceError"]).toContain((error as ConformanceError).name);
    },
    timeout,
  );
});

describe("a kernel whose transactions run in parallel, and again if they lose", () => {
  // A transaction beside others shows the difference to a kernel that lets them wait.
  const sections = ["kernel", "capabilities", "transactions", "several processes", "durability"];
  const chosen = checks.filter(
    ({ section, name }) =>
      isFullRun ||
      sections.includes(section) ||
      / (?:locks? |(?:open|concurrent|first) (?:transaction|update|claim))/.test(name),
  );

  test.each(isFullRun ? [true, false] : [true])(
    "passes the kit (transactions without writes lose, too: %s)",
    async (validatesReaders) => {
      const create: AdapterUnderTest["create"] = async (options) => versionedKernel({ ...options, validatesReaders });
      const { results } = await runChecks({ name: "versioned", create }, { checks: chosen });
      const allowed = ["passed", ...(isFullRun ? ["notApplicable"] : [])];
      expect(results.filter(({ outcome }) => !allowed.includes(outcome))).toEqual([]);
    },
    2 * timeout,
  );
});

describe("exploration of schedules", () => {
  test("runs few schedules of a kernel that excludes transactions, and all orders", async () => {
    const { runs, distinct, isComplete, race } = await exploreSchedules(
      [new MemoryKernel()],
      anomalies["lost updates"]!,
    );
    expect(race).toBeNull();
    expect(isComplete).toBe(true);
    expect(distinct).toBeGreaterThanOrEqual(2);
    expect(runs).toBeLessThan(15);
  });

  test("runs every interleaving of transactions that exclude nothing", async () => {
    // Each makes three calls: begin, get, commit. Their orders: 6! / (3! * 3!).
    const { scenario } = parseSchedule("a=1 | get a | get a");
    const { runs, distinct, isComplete } = await exploreSchedules([ofIsolation("serializable")], scenario);
    expect({ runs, distinct, isComplete }).toEqual({ runs: 20, distinct: 20, isComplete: true });
    expect(await exploreSchedules([ofIsolation("serializable")], scenario, { bound: 5 })).toMatchObject({
      runs: 5,
      isComplete: false,
    });
  });

  const found = {
    "read committed": [
      "lost updates",
      "lost deletions",
      "non-repeatable reads",
      "phantoms in a range",
      "phantoms in an index",
      "skewed writes",
      "skewed inserts below a counted limit",
      "anomalies of a read-only transaction",
    ],
    snapshot: [
      "skewed writes",
      "skewed deletions",
      "skewed inserts below a counted limit",
      "skewed inserts into a range of an index",
      "skewed writes into two ranges",
      "anomalies of a read-only transaction",
      "cycles of three transactions",
    ],
  } as const;

  describe.each(["read committed", "snapshot"] as const)("of a kernel with %s isolation", (isolation) => {
    test.each(found[isolation])(
      "finds %s, and prints a schedule that shows them again",
      async (name) => {
        const { race } = await exploreSchedules([ofIsolation(isolation)], anomalies[name]!);
        expect(race).not.toBeNull();
        const text = raceText(race!);
        const [, printed = ""] = /^replay {4}--schedule "(.*)"$/m.exec(text) ?? [];
        const again = await replaySchedule([ofIsolation(isolation)], parseSchedule(printed));
        expect(raceText(again!)).toBe(text);
        expect(await replaySchedule([ofIsolation("serializable")], parseSchedule(printed))).toBeNull();
        expect(await replaySchedule([new MemoryKernel()], parseSchedule(printed))).toBeNull();
      },
      timeout,
    );
  });

  test("shows no anomaly that snapshots prevent", async () => {
    for (const name of ["dirty writes", "dirty reads", "lost updates", "non-repeatable reads", "phantoms in a range"])
      expect(await exploreSchedules([ofIsolation("snapshot")], anomalies[name]!)).toMatchObject({ race: null });
  }, 30_000);

  test("finds races of random transactions, the same ones for a seed", async () => {
    const racesOf = async () => {
      const races = [];
      for (const scenario of randomScenarios(7, 20))
        races.push((await exploreSchedules([ofIsolation("read committed")], scenario, { bound: 60 })).race);
      return races.map((race) => (race === null ? "none" : raceText(race, 7)));
    };
    const first = await racesOf();
    expect(first.filter((text) => text !== "none").length).toBeGreaterThan(2);
    expect(await racesOf()).toEqual(first);
  }, 60_000);

  test("prints the transactions, the schedule, all that was read, and the nearest serial order", async () => {
    const schedule = parseSchedule("a=1 b=1 | get a, put a | get a, put a @ 11221122");
    expect(raceText((await replaySchedule([ofIsolation("read committed")], schedule))!, 7)).toBe(
      `No serial order of the committed transactions explains what they read and left behind
rows      a=1 b=1; seed 7
1         get a, put a
2         get a, put a
schedule  1 begin; 1 get a: a=1; 2 begin; 2 get a: a=1; 1 put a; 1 commit; 2 put a; 2 commit
1 read    get a: a=1
2 read    get a: a=1
left      a=202 b=1
1 reads   get a: a=1, in the order 1, 2
2 reads   get a: a=102, in the order 1, 2
leaves    a=303 b=1, in the order 1, 2
replay    --schedule "a=1 b=1 | get a, put a | get a, put a @ 11221122"`,
    );
  });

  test.each(["", "a=1", "a=1 | get a @ 2", "a=1 | take a @ 1", "A | get a @ 1", "a=1 | get a @ 1 @ 1"])(
    "refuses the schedule %j",
    (text) => {
      expect(() => parseSchedule(text)).toThrow(Error);
    },
  );

  /** Runs the command on the kernel in memory, or on one without isolation. */
  function command(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
    const program = join(import.meta.dirname, "..", "dist", "main.js");
    const cwd = join(import.meta.dirname, "modules");
    return new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], { cwd }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
      });
    });
  }

  test(
    "runs exactly one schedule by an option of the command",
    async () => {
      const schedule = "a=1 | get a, put a | get a, put a @ 11221122";
      expect(await command("memory-kernel.mjs", "--schedule", schedule)).toEqual({
        code: 0,
        output: "A serial order explains the outcome.\n",
      });
      const shown = await command("no-isolation.mjs", "--schedule", schedule);
      expect(shown.code).toBe(1);
      expect(shown.output).toContain(`replay    --schedule "${schedule}"\n`);
      const check = "shows no lost updates, in any interleaving";
      const failed = await command("no-isolation.mjs", "--check", check);
      expect(failed.code).toBe(1);
      const [, printed = ""] = /--schedule "(.*)"$/m.exec(failed.output) ?? [];
      expect(await command("no-isolation.mjs", "--schedule", printed)).toMatchObject({ code: 1 });
    },
    timeout,
  );

  test.each([
    ["a malformed schedule", ["memory-kernel.mjs", "--schedule", "a=1 | take a @ 1"], /"take a" is not a step\./],
    [
      "a schedule for an adapter without a kernel",
      ["memory.mjs", "--schedule", "a=1 | get a @ 1"],
      /--schedule requires an adapter with a kernel/,
    ],
    [
      "a schedule beside checks",
      ["memory-kernel.mjs", "--schedule", "a=1 | get a @ 1", "--section", "kernel"],
      /--schedule cannot be combined/,
    ],
  ])("refuses %s with exit code 2", async (_what, args, expected) => {
    expect(await command(...args)).toMatchObject({ code: 2, output: expect.stringMatching(expected) });
  });
});
