import { equal } from "../assert/index.ts";
import { leaveOut, runnerHere, type TestRunner } from "../test-runner.ts";
import { withinLimit } from "../within-limit.ts";
import { type FileStoreCheck, fileStoreGroups } from "./file-store-check.ts";
import { fileStoreChecks, numberOfFileStoreChecks } from "./file-store-checks.ts";
import { fileStoreSubject, type FileStoreUnderTest } from "./file-store-under-test.ts";
import { listsDescriptors } from "./resources.ts";

/** The time limit of a check in milliseconds. A check that takes longer hangs. */
const timeLimitOf = ({ timeLimit = 60_000 }: FileStoreUnderTest) => timeLimit;

/** Whether a check applies to this store. */
export function fileStoreCheckAppliesTo(underTest: FileStoreUnderTest, { needs }: FileStoreCheck): boolean {
  if (needs === null) return true;
  return needs === "descriptors" ? listsDescriptors : underTest[needs] !== undefined;
}

/** Runs one check on a new store. Throws if it fails. */
export async function runFileStoreCheck(underTest: FileStoreUnderTest, check: FileStoreCheck): Promise<void> {
  const opened = await underTest.create();
  try {
    await withinLimit({ timeLimit: timeLimitOf(underTest) }, check.run(fileStoreSubject(underTest, opened)));
  } finally {
    await opened.destroy();
  }
}

/**
 * Defines every file store check as a test; await it at the top level of a test file. The default runner is the global
 * `describe` and `test`, as in Jest, else `node:test`.
 */
export async function fileStoreConformance(underTest: FileStoreUnderTest, runner?: TestRunner): Promise<void> {
  const { describe, test } = runner ?? (await runnerHere());

  for (const group of fileStoreGroups) {
    describe(`${underTest.name} as file store: ${group}`, () => {
      for (const check of fileStoreChecks.filter((each) => each.group === group)) {
        const run = () => runFileStoreCheck(underTest, check);
        if (fileStoreCheckAppliesTo(underTest, check)) test(check.name, run, timeLimitOf(underTest) + 5_000);
        // The skipped test stays in the output, so that it does not count as passed.
        else leaveOut({ test }, check.name, check.needs);
      }
    });
  }

  describe(`${underTest.name} as file store`, () => {
    test("runs every check", async () => {
      equal(fileStoreChecks.length, numberOfFileStoreChecks, "the number of checks");
    });
  });
}
