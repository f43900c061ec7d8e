import { ConformanceError } from "../../src/assert/index.ts";
import type { Check } from "../../src/check.ts";
import type { CheckResult } from "../../src/run-check.ts";
import type { ConformanceRun } from "../../src/run-checks.ts";

const run = async () => {};

export const sampleChecks: readonly Check[] = [
  { section: "time", name: "moves", needs: null, migrated: true, run },
  { section: "time", name: "shares one clock", needs: "severalProcesses", migrated: true, run },
  { section: "locks", name: "takes a lock", needs: null, migrated: true, run },
  { section: "locks", name: "reports its holder", needs: null, migrated: true, run },
];

const lost = Object.assign(new Error("duplicate key"), {
  stack: "Error: duplicate key\n    at take (my-adapter.js:12:3)\n    at run (other.js:1:1)",
});

const compared = new ConformanceError({ what: "the holder", expected: '"one"', got: "null" });

const results: readonly CheckResult[] = [
  { section: "time", name: "moves", outcome: "passed", calls: ["storage.now"], duration: 40 },
  {
    section: "time",
    name: "shares one clock",
    outcome: "notApplicable",
    missing: "severalProcesses",
    calls: [],
    duration: 0.2,
  },
  {
    section: "locks",
    name: "takes a lock",
    outcome: "failed",
    error: lost,
    calls: ["sessions.open", "objects.insert", "locks.take"],
    duration: 1_000,
  },
  {
    section: "locks",
    name: "reports its holder",
    outcome: "failed",
    error: compared,
    calls: ["locks.state"],
    duration: 600,
  },
];

export const sampleRun: ConformanceRun = {
  adapter: "MyStorage",
  kind: "storage",
  capabilities: {
    durable: true,
    severalProcesses: false,
    parallelTransactions: true,
    valueIndexes: true,
    indexesPerTable: 40,
    connections: 10,
  },
  results,
  duration: 1_650,
  cpu: 900,
  strayErrors: [],
};

const notImplemented = (what: string) =>
  Object.assign(new Error(`${what} is not implemented yet.`), { name: "NotImplemented" });

/** The same run of an unfinished adapter. */
export const unwrittenRun: ConformanceRun = {
  ...sampleRun,
  results: [
    ...results.slice(0, 2),
    {
      section: "locks",
      name: "takes a lock",
      outcome: "notImplemented",
      error: notImplemented("locks.take"),
      calls: ["locks.take"],
      duration: 5,
    },
    {
      section: "locks",
      name: "reports its holder",
      outcome: "notImplemented",
      error: notImplemented("locks.state"),
      calls: ["locks.state"],
      duration: 5,
    },
    {
      section: "keys",
      name: "keeps locks",
      outcome: "notImplemented",
      error: notImplemented("locks.state"),
      calls: ["locks.state"],
      duration: 5,
    },
  ],
};
