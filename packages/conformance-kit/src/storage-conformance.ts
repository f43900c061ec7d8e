import { describeCapabilities } from "@sallyport/storage";
import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { equal } from "./assert/index.ts";
import { type Check, missingFor } from "./check.ts";
import { checks } from "./checks.ts";
import { numberOfChecks } from "./number-of-checks.ts";
import { declaredBy } from "./open-under-test.ts";
import { runCheck } from "./run-check.ts";
import { leaveOut, runnerHere, type TestRunner } from "./test-runner.ts";
import { timeLimitOf } from "./within-limit.ts";

/**
 * Defines every check of storages and kernels as a test. Await it at the top level of a test file: the adapter itself declares which
 * checks apply. Checks that need a missing capability are skipped by name. The default runner is the global `describe`
 * and `test`, as in Jest, else `node:test`.
 */
export async function storageConformance(adapter: AdapterUnderTest, runner?: TestRunner): Promise<void> {
  const { describe, test } = runner ?? (await runnerHere());
  const declared = await declaredBy(adapter);
  const words = [...describeCapabilities(declared.capabilities).values()].join(", ");
  const reported = new Set<string>();

  describe(`${adapter.name}: storage conformance (${words})`, () => {
    for (const section of new Set(checks.map((check) => check.section))) {
      describe(section, () => {
        for (const check of checks.filter((each) => each.section === section)) {
          const missing = missingFor(check, declared);
          if (missing === null) test(check.name, () => passes(adapter, check, reported), timeLimitOf(adapter) + 10_000);
          else leaveOut({ test }, check.name, missing);
        }
      });
    }

    test("runs every applicable check", async () => {
      const leftOut = checks.filter((check) => missingFor(check, declared) !== null).length;
      equal(reported.size + leftOut, numberOfChecks, "the number of checks, including those that do not apply");
    });
  });
}

async function passes(adapter: AdapterUnderTest, check: Check, reported: Set<string>): Promise<void> {
  reported.add(check.name);
  const { outcome, error } = await runCheck(adapter, check);
  if (outcome === "failed" || outcome === "notImplemented") throw error;
  equal(outcome, "passed", "the outcome");
}
