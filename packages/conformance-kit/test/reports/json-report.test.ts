import { readFileSync } from "node:fs";
import { type AdapterUnderTest, type ConformanceRun, runChecks } from "@sallyport/conformance-kit";
import { MemoryStorage } from "@sallyport/storage-memory";
import { Ajv } from "ajv";
import { jsonReport } from "../../src/reports/json-report.ts";
import { sampleRun, unwrittenRun } from "./sample-run.ts";

const schema = JSON.parse(readFileSync(new URL("../../report.schema.json", import.meta.url), "utf8")) as object;
const validate = new Ajv({ allErrors: true }).compile(schema);

/** A report as its readers get it. */
function reportOf(run: ConformanceRun): { readonly [name: string]: unknown } {
  const report = JSON.parse(JSON.stringify(jsonReport(run))) as { readonly [name: string]: unknown };
  validate(report);
  expect(validate.errors ?? []).toEqual([]);
  return report;
}

test("is what its schema says, and tells of each check", () => {
  const report = reportOf({ ...sampleRun, strayErrors: [new Error("terminated")] });
  expect(report).toMatchObject({
    format: "sallyport-conformance",
    version: 1,
    kit: expect.stringMatching(/^\d+\.\d+\.\d+/),
    adapter: "MyStorage",
    capabilities: sampleRun.capabilities,
    complete: false,
    totals: { checks: 4, run: 3, passed: 1, failed: 2, toWrite: 0, notApplicable: 1 },
    duration: 1650,
    cpu: 900,
    strayErrors: ["Error: terminated"],
  });
  expect(report["sections"]).toEqual([
    {
      name: "time",
      totals: { checks: 2, run: 1, passed: 1, failed: 0, toWrite: 0, notApplicable: 1 },
      checks: [
        { name: "moves", outcome: "passed", duration: 40 },
        { name: "is shared", outcome: "notApplicable", duration: 0 },
      ],
    },
    {
      name: "locks",
      totals: { checks: 2, run: 2, passed: 0, failed: 2, toWrite: 0, notApplicable: 0 },
      checks: [
        {
          name: "are taken",
          outcome: "failed",
          duration: 1000,
          failure: {
            message: "Error: duplicate key",
            contract: {
              method: "LockRepository.take",
              file: "@sallyport/core/dist/storage/lock-repository.d.ts",
              line: expect.any(Number),
            },
          },
        },
        {
          name: "are told",
          outcome: "failed",
          duration: 600,
          failure: {
            message: "who holds it",
            expected: '"one"',
            got: "null",
            contract: expect.objectContaining({ method: "LockRepository.state" }),
          },
        },
      ],
    },
  ]);
});

test("names what is to be written", () => {
  const report = reportOf(unwrittenRun);
  expect(report).toMatchObject({ totals: { run: 4, passed: 1, toWrite: 3 } });
  expect(report["sections"]).toMatchObject([
    {},
    { checks: [{ name: "are taken", outcome: "toWrite", unwritten: "locks.take is not written yet." }, {}] },
    {},
  ]);
});

test("is complete when all checks of the kit were asked for", async () => {
  const memory: AdapterUnderTest = {
    name: "memory",
    concurrency: 4,
    create: async (options) => {
      const storage = new MemoryStorage(options);
      return { storage, destroy: () => storage.close() };
    },
  };
  const report = reportOf(await runChecks(memory));
  expect(report).toMatchObject({ complete: true, totals: { failed: 0 } });
}, 120_000);

test.each([
  ["another version", { version: 2 }],
  ["a member that nobody knows", { more: 1 }],
  ["a count that is none", { totals: { checks: -1, run: 0, passed: 0, failed: 0, toWrite: 0, notApplicable: 0 } }],
  [
    "a failure without its reason",
    {
      sections: [
        {
          name: "a",
          totals: { checks: 1, run: 1, passed: 0, failed: 1, toWrite: 0, notApplicable: 0 },
          checks: [{ name: "b", outcome: "failed", duration: 0 }],
        },
      ],
    },
  ],
])("the schema does not take %s", (_what, change) => {
  expect(validate({ ...jsonReport(sampleRun), ...change })).toBe(false);
});
