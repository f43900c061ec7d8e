import fc from "fast-check";
import { strictJsonObject } from "./strict-json.ts";

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"b":{"a":1,"a":2}}',
  '[{"a":1,"a":2}]',
  '{"b":[{"a":{},"c":1,"a":2}]}',
  '{"":1,"":2}',
  '{"\\"":1, "\\u0022" : 2}',
])("%s has a member twice", (text) => {
  expect(strictJsonObject(text)).toBeNull();
});

test.each(["", "null", "1", '"a"', "[]", "{", "{a:1}", "{'a':1}", "{} {}", '{"a":1}x', "NaN", '{"a":"\n"}'])(
  "%p is no object",
  (text) => {
    expect(strictJsonObject(text)).toBeNull();
  },
);

test("a text may have what looks like a member", () => {
  const value = { a: '"a":1,"a":2', b: [{ a: '{"a":' }, { a: "\\" }], c: "a", d: { a: { a: "a" } }, __proto__: null };
  expect(strictJsonObject(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
});

test("whatever stands for an object once is read as it was", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      expect(strictJsonObject(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("a megabyte that is deep or full of quotes is read at once", () => {
  const deep = `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`;
  const quoted = JSON.stringify({ a: '"'.repeat(500_000) });
  const started = performance.now();
  strictJsonObject(deep);
  expect(strictJsonObject(quoted)).toEqual({ a: '"'.repeat(500_000) });
  expect(performance.now() - started).toBeLessThan(5_000);
});
