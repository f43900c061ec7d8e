import { isWorse, moveTable, movesAgainstLimits, movesInTurn, noiseOf } from "./moves.ts";
import type { Outcome } from "./outcome.ts";

const row = (ours: readonly number[], more: Partial<Outcome> = {}): Outcome => ({
  scenario: "read by id",
  unit: "1/s",
  ours: 100,
  oursName: "read",
  limitName: "Express + pg",
  costs: { ours, limit: ours.map(() => 200) },
  ...more,
});

const quiet = [100, 101, 100, 99, 100, 100];

test.each([
  ["3 % and its noise", quiet, [104, 105, 104, 104, 103, 104], "worse"],
  ["less than 3 %", quiet, [102, 103, 102, 102, 101, 102], ""],
  ["more than 3 % within its noise", quiet, [90, 120, 105, 95, 118, 104], ""],
  ["4 % less", quiet, [96, 97, 96, 95, 96, 96], "better"],
])("a cost that rises by %s is told", (_name, before, after, moved) => {
  const moves = movesInTurn([row(before)], [row(after)]);
  expect(moves).toHaveLength(1);
  expect(moves.some(isWorse)).toBe(moved === "worse");
  expect(moveTable(moves).split("\n").at(-1)?.trimEnd()).toMatch(
    moved === "" ? /\| +\|$/ : new RegExp(`\\| ${moved} +\\|$`),
  );
});

test("rounds are compared pair by pair, so that a slow machine moves nothing", () => {
  const slower = [100, 200, 400, 100, 200, 400];
  expect(movesInTurn([row(slower)], [row(slower.map((cost) => cost * 1.01))])).toMatchObject([
    { ratio: expect.closeTo(1.01), noise: expect.closeTo(0) },
  ]);
});

test("a disturbed round does not widen the noise", () => {
  expect(noiseOf([1, 1.01, 0.99, 1, 1.01, 3])).toBeCloseTo(noiseOf([1, 1.01, 0.99, 1, 1.01, 1.01]), 2);
});

test("without turns costs are compared as multiples of their limits", () => {
  const onSlowMachine = row([300, 300, 300, 300], {
    costs: { ours: [300, 300, 300, 300], limit: [300, 300, 300, 300] },
  });
  const moves = movesAgainstLimits([row([100, 100, 100, 100])], [onSlowMachine]);
  expect(moves).toMatchObject([{ row: "read by id (read), of Express + pg", before: 0.5, after: 1, ratio: 2 }]);
  expect(moves.some(isWorse)).toBe(true);
});

test("a row without a cost is shown and not judged", () => {
  const memory = (ours: number): Outcome => ({ scenario: "memory at rest", unit: "MiB", ours });
  const moves = movesInTurn([memory(90), row(quiet)], [memory(99)]);
  expect(moves).toEqual([{ row: "memory at rest", before: 90, after: 99, unit: "MiB", ratio: 1.1 }]);
  expect(moves.some(isWorse)).toBe(false);
});

test("a candidate beside several limits is one row in turn", () => {
  const both = [row(quiet), row(quiet, { limitName: "Express" })];
  expect(movesInTurn(both, both)).toHaveLength(1);
  expect(movesAgainstLimits(both, both)).toHaveLength(2);
});
