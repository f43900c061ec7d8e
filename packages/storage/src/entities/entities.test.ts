import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { growthOf } from "@sallyport/test-kit/cost/growth";
import fc from "fast-check";
import { catalogue, extensions } from "../errors/index.ts";
import { canonicalJson } from "./canonical-json.ts";
import { isObjectId, objectIdOf, objectNumber, objectReference } from "./object-id.ts";
import { atMost, jsonBytes } from "./size-limits.ts";
import type { JsonValue } from "./stored-object.ts";
import { strictJsonObject } from "./strict-json.ts";
import { describeCapabilities } from "../ports/storage.ts";
import { delayAfter } from "../ports/throttle-repository.ts";

test("each error code is declared in one file of the catalogue", () => {
  const folder = join(import.meta.dirname, "../errors/catalogue");
  const declared = readdirSync(folder).flatMap((name) =>
    Array.from(readFileSync(join(folder, name), "utf8").matchAll(/^ {2}(\d+): \{$/gm), ([, code]) => Number(code)),
  );
  const codes = [...catalogue, ...extensions].map(({ code }) => code);
  expect(declared.toSorted((a, b) => a - b)).toEqual(codes.toSorted((a, b) => a - b));
});

test("every capability has a description, present or missing", () => {
  const all = {
    durable: true,
    severalProcesses: true,
    parallelTransactions: true,
    valueIndexes: true,
    indexesPerTable: 55,
    connections: 10,
  };
  expect([...describeCapabilities(all)]).toEqual([
    ["durable", "durable"],
    ["severalProcesses", "several processes"],
    ["parallelTransactions", "parallel transactions"],
    ["valueIndexes", "value indexes"],
    ["indexesPerTable", "at most 55 indexes"],
    ["connections", "calls at once: 10"],
  ]);
  const none = {
    durable: false,
    severalProcesses: false,
    parallelTransactions: false,
    valueIndexes: false,
    indexesPerTable: null,
    connections: null,
  };
  expect([...describeCapabilities(none).values()]).toEqual([
    "not durable",
    "one process",
    "serial transactions",
    "no value indexes",
    "unlimited indexes",
    "any number of calls at once",
  ]);
});

const policy = { maxFailures: 10, initialDelay: 1_000, maxDelay: 60_000, resetAfter: 3_600_000 };

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

test("zero free failures disable the throttle", () => {
  expect(delayAfter(1_000, { ...policy, maxFailures: 0 })).toBe(0);
});

const texts: readonly (readonly [JsonValue, string])[] = [
  [null, "null"],
  ["", '""'],
  ['"\\\n\u0001\u007f😀', '"\\"\\\\\\n\\u0001\u007f😀"'],
  [[], "[]"],
  [{}, "{}"],
  [[1, [true, null], { a: "x" }], '[1, [true, null], {"a": "x"}]'],
  [{ bb: 1, c: 2, a: 3, aaa: 4, 10: 5 }, '{"a": 3, "c": 2, "10": 5, "bb": 1, "aaa": 4}'],
  // Two, four and three bytes: in the order of UTF-16, the pair would precede the last one.
  [{ "\u{10000}": 1, "￿": 2, é: 3, zz: 4 }, '{"zz": 4, "é": 3, "￿": 2, "\u{10000}": 1}'],
  [-0, "0"],
  [12.5, "12.5"],
  [1e21, "1000000000000000000000"],
  [-1.25e22, "-12500000000000000000000"],
  [1e-7, "0.0000001"],
  [-1.5e-8, "-0.000000015"],
  [Number.MAX_SAFE_INTEGER, "9007199254740991"],
];

test.each(texts)("canonical JSON of %j is %s", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
  expect(JSON.parse(text)).toEqual(value === 0 ? 0 : value);
  expect(Buffer.byteLength(text)).toBe(jsonBytes(value));
});

test("canonical JSON omits undefined members", () => {
  expect(canonicalJson({ name: "n", target: undefined } as unknown as JsonValue)).toBe('{"name": "n"}');
});

describe("object ids", () => {
  test("convert to a number and back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 36 ** 10 - 1 }), (number) => {
        const id = objectIdOf(number);
        expect(isObjectId(id)).toBe(true);
        expect(objectNumber(id)).toBe(number);
      }),
    );
  });

  test.each(["", "0", "00A", "a1", "1-2", "1 ", " 1", "1\n", "12345678901", "Ä1", "1.5", "-1", "+1", "1e3"])(
    "%j is not an id",
    (text) => expect(isObjectId(text)).toBe(false),
  );
});

describe("objectReference", () => {
  test.each([
    ["1Z", { kind: "id", id: "1Z" }],
    ["INVOICE", { kind: "id", id: "INVOICE" }],
    ["Invoice", { kind: "class", className: "Invoice" }],
    ["b", { kind: "class", className: "b" }],
    ["0A9B8C7D-0000-4000-8000-00000000000F", { kind: "uuid", uuid: "0a9b8c7d-0000-4000-8000-00000000000f" }],
    ["0", null],
    ["__proto__", null],
    ["Customer'--", null],
    ["0a9b8c7d-0000-4000-8000-00000000000", null],
    ["x".repeat(64), null],
    ["", null],
  ])("%j refers to %j", (text, expected) => {
    expect(objectReference(text)).toEqual(expected);
  });
});

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
])("%j takes at most the estimated bytes", (value) => {
  expect(jsonBytes(value, atMost)).toBeGreaterThanOrEqual(jsonBytes(value));
});

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"b":{"a":1,"a":2}}',
  '[{"a":1,"a":2}]',
  '{"b":[{"a":{},"c":1,"a":2}]}',
  '{"":1,"":2}',
  '{"\\"":1, "\\u0022" : 2}',
])("strict JSON refuses %s for a duplicate member", (text) => {
  expect(strictJsonObject(text)).toBeNull();
});

test.each(["", "null", "1", '"a"', "[]", "{", "{a:1}", "{'a':1}", "{} {}", '{"a":1}x', "NaN", '{"a":"\n"}'])(
  "strict JSON refuses %p, which is not an object",
  (text) => {
    expect(strictJsonObject(text)).toBeNull();
  },
);

test("a text may contain what looks like a member", () => {
  const value = { a: '"a":1,"a":2', b: [{ a: '{"a":' }, { a: "\\" }], c: "a", d: { a: { a: "a" } }, __proto__: null };
  expect(strictJsonObject(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
});

test("an object without duplicates is read unchanged", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      expect(strictJsonObject(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ["nesting", (size: number) => `{"a":${"[".repeat(size)}${"]".repeat(size)}}`],
  ["quotes", (size: number) => JSON.stringify({ a: '"'.repeat(size) })],
  ["members", (size: number) => `{${Array.from({ length: size }, (_, index) => `"${index}":1`).join()}}`],
])("the time for a text with many %s is linear in its length", (_what, textOf) => {
  const texts = new Map([2_000, 32_000].map((size) => [size, textOf(size)]));
  const read = (size: number) => expect(strictJsonObject(texts.get(size) ?? "")).not.toBeUndefined();
  // 16 if it is linear, 256 if it is quadratic.
  expect(growthOf(read, 2_000, 32_000)).toBeLessThan(64);
});
