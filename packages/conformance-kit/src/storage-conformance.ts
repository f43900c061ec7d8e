import { describeCapabilities } from "@sallyport/storage";
import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { equal } from "./assert/index.ts";
import { capabilitiesOf } from "./capabilities-of.ts";
import type { Check } from "./check.ts";
import { checks } from "./checks.ts";
import { numberOfChecks } from "./number-of-checks.ts";
import { runCheck } from "./run-check.ts";
import { runnerHere, type TestRunner } from "./test-runner.ts";
import { timeLimitOf } from "./within-limit.ts";

/**
 * Defines every storage check as a test. Await it at the top level of a test file: the storage itself declares which
 * checks apply. Checks that need a missing capability are skipped by name. The default runner is the global `describe`
 * and `test`, as in Jest, else `node:test`.
 */
export async function storageConformance(adapter: AdapterUnderTest, runner?: TestRunner): Promise<void> {
  const { describe, test } = runner ?? (await runnerHere());
  const capabilities = await capabilitiesOf(adapter);
  const words = [...describeCapabilities(capabilities).values()].join(", ");
  const applies = ({ needs }: Check) => needs === null || Boolean(capabilities[needs]);
  const reported = new Set<string>();

  describe(`${adapter.name}: storage conformance (${words})`, () => {
    for (const section of new Set(checks.map((check) => check.section))) {
      describe(section, () => {
        for (const check of checks.filter((each) => each.section === section)) {
          if (applies(check)) test(check.name, () => passes(adapter, check, reported), timeLimitOf(adapter) + 10_000);
          // The skipped test stays in the output, so that it does not count as passed.
          else test.skip(`${check.name} (needs ${check.needs})`, async () => {});
        }
      });
    }

    test("runs every applicable check", async () => {
      const leftOut = checks.filter((check) => !applies(check)).length;
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
