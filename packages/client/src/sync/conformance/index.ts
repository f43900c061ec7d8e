import type { StorageCheck, StorageUnderTest } from "./storage-check.ts";
import { storageChecks } from "./storage-checks.ts";
import { storeChecks } from "./store-checks.ts";

export type { OpenStorage, StorageCheck, StorageSubject, StorageUnderTest } from "./storage-check.ts";

/** The interface of a test runner, as in Jest and `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: {
    (name: string, run: () => Promise<void>, timeout?: number): unknown;
    skip(name: string, run: () => Promise<void>): unknown;
  };
}

/** All checks of storages. */
export const syncStorageChecks: readonly StorageCheck[] = [...storageChecks, ...storeChecks];

/** Declared separately, so that no check can disappear unnoticed. */
export const numberOfSyncStorageChecks = 26;

/** The time limit of a check in milliseconds. */
const timeLimit = 60_000;

/** Runs one check on a new storage. Throws if it fails. */
export async function runSyncStorageCheck(underTest: StorageUnderTest, check: StorageCheck): Promise<void> {
  const { storage, reopen, destroy } = await underTest.create();
  try {
    // Checks that do not need another handle use the same one.
    await check.run({ storage, reopen: reopen ?? (async () => storage) });
  } finally {
    await destroy();
  }
}

/**
 * Defines every check as a test of a storage. Call it at the top level of a test file. Default runner: the global
 * `describe` and `test`, as in Jest. For `node:test`, pass the module.
 */
export function syncStorageConformance(
  underTest: StorageUnderTest,
  { describe, test }: TestRunner = globalThis as unknown as TestRunner,
): void {
  describe(`${underTest.name} as storage of a device`, () => {
    for (const check of syncStorageChecks) {
      const run = () => runSyncStorageCheck(underTest, check);
      // A storage with one handle, such as one in memory, has nothing to open again. The test stays in the output as skipped,
      // so that it does not count as passed.
      if (check.needsReopen && underTest.hasOneHandle) test.skip(`${check.name} (needs reopen)`, run);
      else test(check.name, run, timeLimit);
    }
    test("runs every check", async () => {
      if (syncStorageChecks.length !== numberOfSyncStorageChecks) throw new Error("The number of checks is wrong.");
    });
  });
}
