import type { JsonValue } from "@sallyport/core";
import { firstDifference } from "./first-difference.ts";

test.each<[JsonValue, JsonValue | undefined]>([
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }], e: 4 } }],
  [[], []],
  [null, null],
  ["x", "x"],
])("%j is found in %j", (expected, found) => {
  expect(firstDifference(expected, found)).toBeNull();
});

test.each<[JsonValue, JsonValue | undefined, string]>([
  [{ a: 1 }, { a: 2 }, "at /a: expected 1, found 2"],
  [{ a: 1 }, {}, "at /a: expected 1, found nothing"],
  [{ a: null }, {}, "at /a: expected null, found nothing"],
  [[1], [1, 2], "at /1: expected nothing, found 2"],
  [[1, 2], [1], "at /1: expected 2, found nothing"],
  [[{ a: 1 }], [{ a: "1" }], 'at /0/a: expected 1, found "1"'],
  [{}, [], "at the top: expected {}, found []"],
  [5, undefined, "at the top: expected 5, found nothing"],
  [{ toString: 1 }, {}, "at /toString: expected 1, found nothing"],
  [JSON.parse('{"__proto__":{"a":1}}') as JsonValue, { a: 1 }, 'at /__proto__: expected {"a":1}, found nothing'],
])("%j is not found in %j", (expected, found, words) => {
  expect(firstDifference(expected, found)).toBe(words);
});
