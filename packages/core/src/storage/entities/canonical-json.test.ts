import { canonicalJson } from "./canonical-json.ts";
import { jsonBytes } from "./size-limits.ts";
import type { JsonValue } from "./stored-object.ts";

const texts: readonly (readonly [JsonValue, string])[] = [
  [null, "null"],
  ["", '""'],
  ['"\\\n\u0001\u007f😀', '"\\"\\\\\\n\\u0001\u007f😀"'],
  [[], "[]"],
  [{}, "{}"],
  [[1, [true, null], { a: "x" }], '[1, [true, null], {"a": "x"}]'],
  [{ bb: 1, c: 2, a: 3, aaa: 4, 10: 5 }, '{"a": 3, "c": 2, "10": 5, "bb": 1, "aaa": 4}'],
  // Two bytes each, four, and three: as UTF-16 orders them, the pair would stand before the last.
  [{ "\u{10000}": 1, "￿": 2, é: 3, zz: 4 }, '{"zz": 4, "é": 3, "￿": 2, "\u{10000}": 1}'],
  [-0, "0"],
  [12.5, "12.5"],
  [1e21, "1000000000000000000000"],
  [-1.25e22, "-12500000000000000000000"],
  [1e-7, "0.0000001"],
  [-1.5e-8, "-0.000000015"],
  [Number.MAX_SAFE_INTEGER, "9007199254740991"],
];

test.each(texts)("%j is written as %s", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
  expect(JSON.parse(text)).toEqual(value === 0 ? 0 : value);
  expect(Buffer.byteLength(text)).toBe(jsonBytes(value));
});

test("members that are not given are not there", () => {
  expect(canonicalJson({ name: "n", target: undefined } as unknown as JsonValue)).toBe('{"name": "n"}');
});
