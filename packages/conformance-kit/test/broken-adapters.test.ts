import { type AdapterUnderTest, checks, runCheck, runChecks } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { allBrokenAdapters } from "./broken/all-broken-adapters.ts";
import { brokenStorage } from "./broken/broken-adapter.ts";
import { sideBySide, soundly } from "./broken/side-by-side.ts";

const needsOf = (name: string) => checks.find((check) => check.name === name)?.needs;

type Create = (options: { readonly clockOffset: () => number }) => Storage;

function adapter(name: string, create: Create): AdapterUnderTest {
  return {
    name,
    create: async (options) => {
      const storage = create(options);
      return { storage, destroy: () => storage.close() };
    },
  };
}

const sound = adapter("sound", (options) => new MemoryStorage(options));

const outcomes = new Map<string, string>();

/** The outcome of the check with an intact storage. */
async function outcomeOfSound(check: string): Promise<string> {
  const outcome = outcomes.get(check) ?? (await runCheck(sound, check)).outcome;
  outcomes.set(check, outcome);
  return outcome;
}

describe.each(allBrokenAdapters)("faults in %s", (_part, adapters) => {
  const cases = adapters.flatMap(({ fault, caughtBy: names, create }) =>
    names.map((caughtBy) => ({ fault, caughtBy, create })),
  );

  test.each(cases)('$fault: fails "$caughtBy"', async ({ fault, caughtBy, create }) => {
    expect(await outcomeOfSound(caughtBy)).toBe(needsOf(caughtBy) === null ? "passed" : "notApplicable");
    const { outcome, error } = await runCheck(adapter(fault, create), caughtBy);
    expect(outcome).toBe("failed");
    // Any other error is a mistake in the fault itself.
    expect(["ConformanceError", "ServiceError"]).toContain((error as Error).name);
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

test.each(checks.filter(({ section, needs }) => section === "changes" && needs === null).map(({ name }) => name))(
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
