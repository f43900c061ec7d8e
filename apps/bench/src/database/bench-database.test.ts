import { backendCpuBetween } from "./bench-database.ts";

test("counts who came, and forgets who went", () => {
  const before = new Map([
    [1, 100],
    [2, 50],
  ]);
  const after = new Map([
    [1, 130],
    [3, 7],
  ]);
  expect(backendCpuBetween(before, after)).toBe(37);
});
