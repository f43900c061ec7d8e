import { copyOfFields, jsonText } from "./json.ts";

/** Values that JSON would change without an error. */
const changed: readonly (readonly [name: string, value: unknown])[] = [
  ["NaN", Number.NaN],
  ["an infinite number", Number.POSITIVE_INFINITY],
  ["a negative infinite number", Number.NEGATIVE_INFINITY],
  ["-0", -0],
  ["a BigInt", 9_007_199_254_740_993n],
  ["a function", () => 1],
  ["a symbol", Symbol("name")],
  ["an invalid date", new Date(Number.NaN)],
  ["undefined in an array", [1, undefined]],
  ["an array with holes", Object.assign([1], { 2: 3 })],
  ["an array with names", Object.assign([1], { name: 2 })],
  ["a Map", new Map([["a", 1]])],
  ["a Set", new Set([1])],
  ["a typed array", new Uint8Array([1, 2])],
  ["an ArrayBuffer", new ArrayBuffer(2)],
  ["a number object", Object(Number.NaN)],
  ["a RegExp", /a/],
  ["an Error", new Error("lost")],
  ["an object of a class", Object.create({ amount: 1 })],
  ["an object with a symbol", { [Symbol("name")]: 1 }],
  ["an object with toJSON", { toJSON: () => 1 }],
];

describe("JSON of a value", () => {
  test.each(changed)("does not exist for %s, at any depth", (_, value) => {
    for (const input of [{ Field: value }, { Field: { nested: [value] } }]) {
      expect(() => jsonText(input)).toThrow(TypeError);
      expect(() => copyOfFields(input)).toThrow(TypeError);
    }
  });

  test.each([
    ["undefined", undefined, "{}"],
    ["a date", new Date(0), '{"Field":"1970-01-01T00:00:00.000Z"}'],
  ])("%s is a body, but not a copy", (_, value, text) => {
    expect(jsonText({ Field: value })).toBe(text);
    expect(() => copyOfFields({ Field: value })).toThrow('"Field"');
  });

  test("holds every other value", () => {
    const text = '{"":0,"__proto__":{"a":[null,true,-0.5,5e-324,1.7976931348623157e+308,"\\ud800"]},"toString":"x"}';
    const value: unknown = JSON.parse(text);
    expect(jsonText(value)).toBe(text);
    expect(JSON.stringify(copyOfFields(value))).toBe(text);
    expect(jsonText(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  test.each([null, undefined, 1, "text", [], () => 1])("refuses %p as fields", (value) => {
    expect(() => copyOfFields(value)).toThrow(TypeError);
  });
});
