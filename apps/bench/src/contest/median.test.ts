import { median } from "./median.ts";

test("takes the middle one", () => {
  expect(median([5, 1, 9])).toBe(5);
});

test("takes the mean of the two in the middle", () => {
  expect(median([4, 1, 9, 2])).toBe(3);
});

test("has no answer without values", () => {
  expect(median([])).toBeNaN();
});
