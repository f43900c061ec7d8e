import { atMost, jsonBytes } from "./size-limits.ts";
import type { JsonValue } from "./stored-object.ts";

const plain: JsonValue[] = [
  "",
  "abc",
  "größe",
  "日本語",
  "\u{1f469}x",
  '"\\/',
  "\b\f\n\r\t",
  "\u0001\u001f\u007f",
  "\u2028",
  0,
  -0,
  7,
  -12.5,
  1e20,
  true,
  false,
  null,
  [],
  {},
  [1],
];

test.each(plain.map((value) => [JSON.stringify(value), value]))("%s takes as many bytes as its text", (text, value) => {
  expect(jsonBytes(value)).toBe(Buffer.byteLength(text as string));
});

test.each<[JsonValue, string]>([
  [[1, [2, "a,b:c"], 3], '[1, [2, "a,b:c"], 3]'],
  [{ a: 1, b: { c: [], "d:": null } }, '{"a": 1, "b": {"c": [], "d:": null}}'],
  [1e21, "1000000000000000000000"],
  [-1.5e-7, "-0.00000015"],
  [Number.MAX_VALUE, Number.MAX_VALUE.toLocaleString("fullwide", { useGrouping: false })],
])("%j takes as many bytes as a database writes", (value, text) => {
  expect(jsonBytes(value)).toBe(text.length);
});

test.each([
  ...plain,
  1e21,
  -1.5e-7,
  Number.MAX_VALUE,
  -123_456_789_012_345,
  1.234_567_890_123_456_7e-6,
  { 日: ["\u0001", 1 / 3] },
])("%j takes no more than it can take at most", (value) => {
  expect(jsonBytes(value, atMost)).toBeGreaterThanOrEqual(jsonBytes(value));
});
