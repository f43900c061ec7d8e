import { capabilityWords } from "@sallyport/core";
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
 * Defines every check as a test. Has to be awaited at the top of the test file: which checks apply is asked of the
 * storage itself. Those that need a capability which the storage lacks appear as skipped, by name. The runner is the one
 * that offers `describe` and `test` globally, as Jest does, and `node:test` where none does.
 */
export async function storageConformance(adapter: AdapterUnderTest, runner?: TestRunner): Promise<void> {
  const { describe, test } = runner ?? (await runnerHere());
  const capabilities = await capabilitiesOf(adapter);
  const words = [...capabilityWords(capabilities).values()].join(", ");
  const applies = ({ needs }: Check) => needs === null || Boolean(capabilities[needs]);
  const told = new Set<string>();

  describe(`${adapter.name} as storage (${words})`, () => {
    for (const section of new Set(checks.map((check) => check.section))) {
      describe(section, () => {
        for (const check of checks.filter((each) => each.section === section)) {
          if (applies(check)) test(check.name, () => passes(adapter, check, told), timeLimitOf(adapter) + 10_000);
          // The adapter itself declares what it lacks; listed, so that nobody takes the check for passed.
          else test.skip(`${check.name} (needs ${check.needs})`, async () => {});
        }
      });
    }

    test("every check that applies was run", async () => {
      const leftOut = checks.filter((check) => !applies(check)).length;
      equal(told.size + leftOut, numberOfChecks, "the number of checks run, with those that do not apply");
    });
  });
}

async function passes(adapter: AdapterUnderTest, check: Check, told: Set<string>): Promise<void> {
  told.add(check.name);
  const { outcome, error } = await runCheck(adapter, check);
  if (outcome === "failed" || outcome === "toWrite") throw error;
  equal(outcome, "passed", "the outcome");
}
