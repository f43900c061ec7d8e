import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { equal } from "./assert/index.ts";
import { capabilitiesOf } from "./capabilities-of.ts";
import type { Check } from "./check.ts";
import { checks } from "./checks.ts";
import { runCheck, timeLimit } from "./run-check.ts";

/** What is needed of Jest, or of another runner with the same globals. */
interface Test {
  (name: string, run: () => Promise<void>, timeout?: number): void;
  skip(name: string, run: () => Promise<void>): void;
}
declare const describe: (name: string, define: () => void) => void;
declare const test: Test;

/**
 * Defines every check as a test. Has to be awaited at the top of the test file: which checks apply is asked of the
 * storage itself. Those that need a capability which the storage lacks appear as skipped, by name.
 */
export async function storageConformance(adapter: AdapterUnderTest): Promise<void> {
  const capabilities = await capabilitiesOf(adapter);
  const applies = ({ needs }: Check) => needs === null || capabilities[needs];
  const run = new Set<string>();

  describe(`${adapter.name} as storage`, () => {
    for (const section of new Set(checks.map((check) => check.section))) {
      describe(section, () => {
        for (const check of checks.filter((each) => each.section === section)) {
          if (applies(check)) test(check.name, () => passes(adapter, check, run), timeLimit + 10_000);
          // The adapter itself declares what it lacks; listed, so that nobody takes the check for passed.
          else test.skip(`${check.name} (needs ${check.needs})`, async () => {});
        }
      });
    }

    test("every check that applies was run", async () => {
      equal(run.size, checks.filter(applies).length, "the number of checks run");
    });
  });
}

async function passes(adapter: AdapterUnderTest, check: Check, run: Set<string>): Promise<void> {
  run.add(check.name);
  const { outcome, error } = await runCheck(adapter, check);
  if (outcome === "failed") throw error;
  equal(outcome, "passed", "the outcome");
}
