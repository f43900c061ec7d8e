import { LineAllowance } from "./macro-runtime.ts";

const written = (given: readonly string[]): string[] => {
  const allowance = new LineAllowance();
  return given.flatMap((line) => allowance.take(line) ?? []);
};
const last = "further lines of this execution are left out";

test("lines are written up to a number, and then it is said once that there were more", () => {
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
  expect(written(lines)).toEqual(lines);
  expect(written([...lines, "one more", "two more"])).toEqual([...lines, last]);
});

test("long lines are fewer", () => {
  const line = "x".repeat(65_536);
  expect(written([line, line, "", "a", "b"])).toEqual([line, line, "", last]);
});
