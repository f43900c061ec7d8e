import { same } from "./same.ts";

test.each([
  [
    { a: 1, b: [1, { c: null }] },
    { b: [1, { c: null }], a: 1 },
  ],
  [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 1}}')],
  [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  [Number.NaN, Number.NaN],
])("%j is the same as %j", (one, other) => {
  expect(same(one, other)).toBe(true);
});

test.each([
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: undefined }, {}],
  [{ a: undefined }, { b: undefined }],
  [
    [1, 2],
    [2, 1],
  ],
  [[], {}],
  [{ a: null }, { a: undefined }],
  ["1", 1],
  [0, -0],
  [null, {}],
  [JSON.parse('{"__proto__": {"a": 1}}'), {}],
  [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 2}}')],
])("%j is not the same as %j", (one, other) => {
  expect(same(one, other)).toBe(false);
  expect(same(other, one)).toBe(false);
});
