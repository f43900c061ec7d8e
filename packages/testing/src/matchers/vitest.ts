import { matchers } from "./matchers.ts";

interface Vitest {
  readonly expect: { extend(more: typeof matchers): void };
}

// Vitest is a dependency of the tests, not of this package.
const vitest = "vitest";
((await import(vitest)) as Vitest).expect.extend(matchers);
