import { delayAfter } from "./throttle-repository.ts";

const policy = { freeFailures: 10, firstDelay: 1_000, longestDelay: 60_000, forgetAfter: 3_600_000 };

test.each([
  [0, 0],
  [9, 0],
  [10, 1_000],
  [11, 2_000],
  [15, 32_000],
  [16, 60_000],
  [1_000_000, 60_000],
])("after %i failures the delay is %i ms", (failures, delay) => {
  expect(delayAfter(failures, policy)).toBe(delay);
});

test("a throttle without free failures is switched off", () => {
  expect(delayAfter(1_000, { ...policy, freeFailures: 0 })).toBe(0);
});
