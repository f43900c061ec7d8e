import { type Outcome, verdictOn } from "./outcome.ts";

const outcome = (figure: Partial<Outcome>): Outcome => ({ scenario: "read", unit: "1/s", ours: 100, ...figure });
const atLeast = { direction: "atLeast", wanted: 0.75, goal: 0.95 } as const;
const atMost = { direction: "atMost", wanted: 30 } as const;

test.each([
  [outcome({ ratio: 0.95, bound: atLeast }), "goal"],
  [outcome({ ratio: 0.94, bound: atLeast }), "wanted"],
  [outcome({ ratio: 0.74, bound: atLeast }), "missed"],
  [outcome({ ours: 30, bound: atMost }), "wanted"],
  [outcome({ ours: 30.1, bound: atMost }), "missed"],
  [outcome({ ours: Number.NaN, bound: atMost }), "missed"],
  [outcome({ ratio: 0.1 }), ""],
] as const)("%j: %s", (given, verdict) => {
  expect(verdictOn(given)).toBe(verdict);
});
