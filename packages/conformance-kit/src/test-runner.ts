/** The interface of a test runner, as in Jest and `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: {
    (name: string, run: () => Promise<void>, timeout?: number): unknown;
    skip(name: string, run: () => Promise<void>): unknown;
  };
}

/** Keeps a test that does not apply in the output, so that it does not count as passed. */
export function leaveOut({ test }: Pick<TestRunner, "test">, name: string, needs: unknown): void {
  // Jest refuses a skipped test without a function. It never runs.
  test.skip(`${name} (needs ${String(needs)})`, () => Promise.reject(new Error("A skipped test has run.")));
}

/** The global `describe` and `test`, as in Jest, else `node:test`. */
export async function runnerHere(): Promise<TestRunner> {
  const { describe, test } = globalThis as Partial<TestRunner>;
  return describe === undefined || test === undefined ? import("node:test") : { describe, test };
}
