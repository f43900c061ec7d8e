import { type AdapterUnderTest, checks, runCheck, runChecks } from "@sallyport/conformance-kit";
import { brokenMemories } from "./broken/broken-memories.ts";
import { brokenBatches } from "./broken/broken-processes.ts";
import { brokenRecordProcesses } from "./broken/records/broken-record-processes.ts";
import { SharedDatabase } from "./broken/shared-database.ts";

const sound: AdapterUnderTest = { name: "sound", create: async (options) => new SharedDatabase(options).underTest() };

const ofSeveralProcesses = checks.filter(({ needs }) => needs === "severalProcesses" || needs === "durable");

test("processes that share a database soundly pass", async () => {
  const { results } = await runChecks(sound, { checks: ofSeveralProcesses });
  expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
}, 120_000);

describe.each([
  ["several processes", brokenBatches],
  ["records of several processes", brokenRecordProcesses],
  ["a database that is opened again", brokenMemories],
])("a fault that shows in %s", (_where, broken) => {
  const cases = broken.flatMap(({ fault, caughtBy: names, create }) =>
    names.map((caughtBy) => ({ fault, caughtBy, create })),
  );

  test.each(cases)("that it $fault is caught by: $caughtBy", async ({ fault, caughtBy, create }) => {
    const { outcome, error } = await runCheck({ name: fault, create }, caughtBy);
    expect(outcome).toBe("failed");
    // Anything else would be a fault of the fault.
    expect(["ConformanceError", "ServiceError"]).toContain((error as Error).name);
  });
});
