import type { Comparison, JsonValue, Repositories, Scalar, ValueType } from "@sallyport/storage";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, assertFilter, valueOf } from "../../fixtures/query-fixtures.ts";
import { compare, empty, oneOf, present } from "./filters.ts";

type Named = Readonly<Record<string, JsonValue>>;

/** Creates files with these values, one file with null and one without a value. */
async function insertValues(r: Repositories, values: Named): Promise<void> {
  const files = Object.entries(values).map(([name, value]) => [name, { Value: value }] as const);
  await insertFiles(r, { missing: {}, ...Object.fromEntries(files), null: { Value: null } });
}

/** Asserts that each value of a type equals only itself. */
async function tellsApart(r: Repositories, type: ValueType, values: Named): Promise<void> {
  await insertValues(r, values);
  const path = valueOf(type);
  const names = Object.keys(values);
  for (const name of names) await assertFilter(r, oneOf(path, [values[name] as JsonValue]), [name]);
  const half = names.filter((_, index) => index % 2 === 0);
  const halfOfThem = half.map((name) => values[name] as JsonValue);
  await assertFilter(r, oneOf(path, halfOfThem), half);
  await assertFilter(r, oneOf(path, Object.values(values)), names);
  await assertFilter(r, oneOf(path, []), []);
  await assertFilter(r, empty(path), ["missing", "null"]);
  await assertFilter(r, present(path), [...names, "null"]);
}

const sides: Readonly<Record<Comparison, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

/** Asserts that a type compares its values in this order, and that null and missing values never match. */
async function assertComparisons(
  r: Repositories,
  type: ValueType,
  values: Readonly<Record<string, Scalar>>,
): Promise<void> {
  await insertValues(r, values);
  const names = Object.keys(values);
  for (const [place, name] of names.entries()) {
    for (const [operator, isOn] of Object.entries(sides)) {
      const expected = names.filter((_, index) => isOn(index - place));
      await assertFilter(r, compare(valueOf(type), operator as Comparison, values[name] as Scalar), expected);
    }
  }
}

/** In code point order, which differs from UTF-16 order and from dictionary order. */
const texts = {
  nothing: "",
  blank: " ",
  ten: "10",
  nine: "9",
  Capital: "Z",
  a: "a",
  "a and the first control character": "a\u0001",
  "a and the first two control characters": "a\u0001\u0002",
  "a, the first control character and more": "a\u0001a",
  "a and the second control character": "a\u0002",
  "a and the second and the first": "a\u0002\u0001",
  "a and the second control character twice": "a\u0002\u0002",
  "a and the third control character": "a\u0003",
  "a and a blank": "a ",
  "a and an exclamation mark": "a!",
  aa: "aa",
  b: "b",
  composed: "\u00e9",
  "last before the surrogates": "\ud7ff",
  "first behind the surrogates": "\ue000",
  ligature: "\ufb01",
  "last of the plane": "\uffff",
  "first beyond": "\u{10000}",
  beyond: "\u{1f469}",
  last: "\u{10ffff}",
};

const start = "long ".repeat(150);

/** Texts of the maximum index length and longer, in order. */
const longTexts = {
  start,
  "with a": `${start}a`,
  "with ab": `${start}ab`,
  "with b": `${start}b`,
  "with much": `${start}${"b".repeat(5_000)}`,
  "with wide": `${start}\uffff${"w".repeat(900)}`,
  "with wider": `${start}\u{10000}${"w".repeat(900)}`,
};

const numbers = {
  least: -1.7e308,
  "far below": -1e300,
  "below a power of two": -4_294_967_296.5,
  "a negative power of two": -4_294_967_296,
  "more than one below": -2,
  "a bit below": -1.5000000000000002,
  negative: -1.5,
  "near below": -1e-7,
  zero: 0,
  "near above": 1e-7,
  one: 1,
  "a bit more": 1.0000000000000002,
  nine: 9,
  ten: 10,
  whole: 9_007_199_254_740_991,
  large: 1e21,
  largest: 1.7e308,
};

const dates = {
  first: "0001-01-01",
  day: "2024-02-29",
  midnight: "2024-02-29T00:00:00.000Z",
  noon: "2024-02-29T12:00:00.000Z",
  "a bit later": "2024-02-29T12:00:00.001Z",
  next: "2024-03-01",
  last: "9999-12-31",
};

export const queryValueChecks: readonly Check[] = checksOf("queries", {
  "distinguishes texts": async ({ r }) =>
    tellsApart(r, "string", {
      ...texts,
      decomposed: "e\u0301",
      capital: "A",
      quoted: "'",
      escaped: "\\",
      wild: "%",
      word: "null",
    }),
  "distinguishes long texts": async ({ r }) => tellsApart(r, "string", longTexts),
  "distinguishes numbers": async ({ r }) => tellsApart(r, "number", numbers),
  "distinguishes booleans": async ({ r }) => tellsApart(r, "boolean", { no: false, yes: true }),
  "distinguishes dates": async ({ r }) => tellsApart(r, "date", dates),

  "distinguishes JSON values regardless of member order": async ({ r }) => {
    await tellsApart(r, "json", {
      one: 1,
      text: "1",
      yes: true,
      list: [],
      object: {},
      several: [1, 2],
      turned: [2, 1],
      longer: [1, 2, null],
      member: { a: 1 },
      "like a list": { 0: 1, 1: 2, length: 2 },
      "null member": { a: null },
      inner: { a: { b: [1, { c: "d" }] } },
    });
    await assertFilter(r, oneOf(valueOf("json"), [{ b: 1, a: 1 }]), []);
    await insertFiles(r, { "two members": { Value: { a: 1, b: [{ c: 1, d: 2 }] } } });
    await assertFilter(r, oneOf(valueOf("json"), [{ b: [{ d: 2, c: 1 }], a: 1 }]), ["two members"]);
    await assertFilter(r, oneOf(valueOf("json"), [{}, { toString: 1 }]), ["object"]);
  },

  "distinguishes empty collections from others": async ({ r }) => {
    await insertValues(r, { none: [], one: ["1"] });
    await assertFilter(r, empty(valueOf("collection")), ["missing", "null"]);
    await assertFilter(r, present(valueOf("collection")), ["none", "one", "null"]);
  },

  "compares texts by code points": async ({ r }) => assertComparisons(r, "string", texts),
  "compares long texts by their whole length": async ({ r }) => assertComparisons(r, "string", longTexts),
  "compares numbers": async ({ r }) => assertComparisons(r, "number", numbers),
  "compares booleans": async ({ r }) => assertComparisons(r, "boolean", { no: false, yes: true }),
  "compares dates": async ({ r }) => assertComparisons(r, "date", dates),

  "compares with bounds that no object has": async ({ r }) => {
    await insertValues(r, { a: "a", c: "c" });
    const path = valueOf("string");
    for (const operator of ["gt", "gte"] as const) await assertFilter(r, compare(path, operator, "b"), ["c"]);
    for (const operator of ["lt", "lte"] as const) await assertFilter(r, compare(path, operator, "b"), ["a"]);
  },

  "finds many values at once": async ({ r }) => {
    await insertValues(r, { found: "value 999", other: "value" });
    const values = Array.from({ length: 1_000 }, (_, index) => `value ${index}`);
    await assertFilter(r, oneOf(valueOf("string"), values), ["found"]);
  },
});
