import { type AdapterUnderTest, checks, runCheck, runChecks } from "@sallyport/conformance-kit";
import { brokenMemories } from "./broken/broken-memories.ts";
import { brokenBatches } from "./broken/broken-processes.ts";
import { brokenRecordProcesses } from "./broken/records/broken-record-processes.ts";
import { SharedDatabase } from "./broken/shared-database.ts";

const sound: AdapterUnderTest = { name: "sound", create: async (options) => new SharedDatabase(options).underTest() };

const ofSeveralProcesses = checks.filter(({ needs }) => needs === "severalProcesses" || needs === "durable");

test("processes that share a database correctly pass", async () => {
  const { results } = await runChecks(sound, { checks: ofSeveralProcesses });
  expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
}, 120_000);

describe.each([
  ["several processes", brokenBatches],
  ["records across processes", brokenRecordProcesses],
  ["a reopened database", brokenMemories],
])("faults in %s", (_where, broken) => {
  const cases = broken.flatMap(({ fault, caughtBy: names, create }) =>
    names.map((caughtBy) => ({ fault, caughtBy, create })),
  );

  test.each(cases)('$fault: fails "$caughtBy"', async ({ fault, caughtBy, create }) => {
    const { outcome, error } = await runCheck({ name: fault, create }, caughtBy);
    expect(outcome).toBe("failed");
    // Any other error is a mistake in the fault itself.
    expect(["ConformanceError", "ServiceError"]).toContain((error as Error).name);
  });
});
