/** What is needed of a test runner: Jest, `node:test`, or another one with the same functions. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: {
    (name: string, run: () => Promise<void>, timeout?: number): unknown;
    skip(name: string, run: () => Promise<void>): unknown;
  };
}

/** The runner that offers its functions globally, as Jest does, and `node:test` where none does. */
export async function runnerHere(): Promise<TestRunner> {
  const { describe, test } = globalThis as Partial<TestRunner>;
  return describe === undefined || test === undefined ? import("node:test") : { describe, test };
}
