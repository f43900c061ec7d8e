import { equal } from "../assert/index.ts";
import { leaveOut, runnerHere, type TestRunner } from "../test-runner.ts";
import type { ProviderCheck } from "./provider-check.ts";
import { numberOfProviderChecks, providerChecks } from "./provider-checks.ts";
import { providerSubject } from "./provider-subject.ts";
import type { ProviderUnderTest } from "./provider-under-test.ts";

/** Milliseconds. A check that takes longer hangs. */
const timeLimit = 60_000;

/** Whether a check applies to a provider of this kind. */
export const appliesTo = ({ proof, hasPkce }: ProviderUnderTest, { needs }: ProviderCheck): boolean =>
  needs === null || needs === proof || (needs === "pkce" && hasPkce);

/** Runs one check. Throws if it fails. Resets the fault of the fake provider afterwards. */
export async function runProviderCheck(underTest: ProviderUnderTest, check: ProviderCheck): Promise<void> {
  try {
    await underTest.injectFault(null);
    await check.run(providerSubject(underTest));
  } finally {
    await underTest.injectFault(null);
  }
}

/**
 * Defines every identity provider check as a test; await it at the top level of a test file. The default runner is the
 * global `describe` and `test`, as in Jest, else `node:test`.
 */
export async function providerConformance(underTest: ProviderUnderTest, runner?: TestRunner): Promise<void> {
  const { describe, test } = runner ?? (await runnerHere());

  describe(`${underTest.name} as identity provider`, () => {
    for (const check of providerChecks) {
      if (appliesTo(underTest, check)) test(check.name, () => runProviderCheck(underTest, check), timeLimit);
      // The skipped test stays in the output, so that it does not count as passed.
      else leaveOut({ test }, check.name, check.needs);
    }

    test("runs every check", async () => {
      equal(providerChecks.length, numberOfProviderChecks, "the number of checks");
    });
  });
}
