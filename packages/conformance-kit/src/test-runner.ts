/** The interface of a test runner, as in Jest and `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: {
    (name: string, run: () => Promise<void>, timeout?: number): unknown;
    skip(name: string, run: () => Promise<void>): unknown;
  };
}

/** The global `describe` and `test`, as in Jest, else `node:test`. */
export async function runnerHere(): Promise<TestRunner> {
  const { describe, test } = globalThis as Partial<TestRunner>;
  return describe === undefined || test === undefined ? import("node:test") : { describe, test };
}
