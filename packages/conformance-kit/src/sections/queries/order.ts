import {
  type Attributes,
  objectIdOf,
  type ObjectQuery,
  type Page,
  type Repositories,
  seesAll,
  type SortKey,
  type ValueType,
} from "@sallyport/storage";
import { equal } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, not, valueOf } from "../../fixtures/query-fixtures.ts";
import { deleteObjects, idsOf } from "../../fixtures/objects.ts";
import { orderedNames, shuffledNames } from "../../fixtures/ordered-names.ts";
import { ascending, assertSorted, descending, oneOf, ownPath } from "./filters.ts";

const by = (type: ValueType, ...hops: string[]): SortKey => ascending(valueOf(type, ...hops));
const byDown = (type: ValueType, ...hops: string[]): SortKey => descending(valueOf(type, ...hops));

/** Asserts the order of a type's values, created shuffled. Missing and null values sort lowest. */
async function assertOrder(r: Repositories, type: ValueType, values: Attributes): Promise<void> {
  const files = Object.entries(values).map(([name, value]) => [name, { Value: value }] as const);
  const shuffled = [
    ...files.filter((_, index) => index % 2 === 1).toReversed(),
    ...files.filter((_, index) => index % 2 === 0),
  ];
  await insertFiles(r, { missing: {}, ...Object.fromEntries(shuffled), null: { Value: null } });
  const names = Object.keys(values);
  await assertSorted(r, [by(type)], ["missing", "null", ...names]);
  await assertSorted(r, [byDown(type)], [...names.toReversed(), "missing", "null"]);
}

const colors = ["red", "blue", null];

/** Creates files with few distinct values of two attributes, and the targets of some of them. */
async function insertMany(r: Repositories, count: number): Promise<void> {
  const targets = await r.objects.insert(colors.map((Value) => ({ className: "Image", attributes: { Value } })));
  const files = Array.from({ length: count }, (_, index) => {
    const To = targets[index % 4]?.id ?? null;
    const Value = [3, 1, null, 2, 1][index % 5] ?? null;
    return [`file ${index}`, { To, Value, ...(index % 3 === 0 ? {} : { Flag: index % 2 === 0 }) }] as const;
  });
  await insertFiles(r, Object.fromEntries(files));
}

const byFlag = ascending(ownPath("Flag", "boolean"));
const byFlagDown = descending(ownPath("Flag", "boolean"));
const byIdDown = descending(ownPath("~ObjectID", "id"));
const byTimeDown = descending(ownPath("~StoreTime", "time"));

const orders: readonly (readonly SortKey[])[] = [
  [],
  [by("number")],
  [byDown("number")],
  [byFlag, byDown("number")],
  [byFlagDown, by("number"), byDown("string", "To")],
  [by("string", "To")],
  [byDown("string", "To"), byFlagDown],
  [byDown("number"), byIdDown],
  [byIdDown],
  [byTimeDown, byDown("number")],
];

const wholePage = { offset: 0, limit: 1_000 };

const foundIds = async (r: Repositories, query: ObjectQuery) =>
  idsOf((await r.objects.find(query, seesAll, wholePage)).objects);

export const queryOrderChecks: readonly Check[] = checksOf("queries", {
  "sorts texts by code points": async ({ r }) => {
    await insertFiles(r, Object.fromEntries(shuffledNames.map((name) => [`file ${name}`, { Value: name }])));
    const names = orderedNames.map((name) => `file ${name}`);
    await assertSorted(r, [by("string")], names);
    await assertSorted(r, [byDown("string")], names.toReversed());
  },

  "sorts missing and null values before all texts": async ({ r }) =>
    assertOrder(r, "string", { nothing: "", a: "a", b: "b", beyond: "\u{10000}" }),
  "sorts long texts by their whole length": async ({ r }) => {
    const start = "s".repeat(2_000);
    await assertOrder(r, "string", {
      start,
      a: `${start}a`,
      "a and b": `${start}ab`,
      b: `${start}b`,
      wide: `${start}\uffff`,
      wider: `${start}\u{10000}`,
    });
  },
  "sorts numbers": async ({ r }) =>
    assertOrder(r, "number", { least: -1e300, negative: -2, zero: 0, small: 1e-9, nine: 9, ten: 10, large: 1e300 }),
  "sorts booleans": async ({ r }) => assertOrder(r, "boolean", { no: false, yes: true }),
  "sorts dates": async ({ r }) =>
    assertOrder(r, "date", {
      first: "0001-01-01",
      day: "2024-02-29",
      midnight: "2024-02-29T00:00:00.000Z",
      next: "2024-03-01",
    }),

  "sorts equal values by ascending object number in both directions": async ({ r }) => {
    await insertFiles(r, {
      first: { Value: 1 },
      missing: {},
      second: { Value: 1 },
      third: { Value: 1 },
      null: { Value: null },
      fourth: { Value: 1 },
    });
    await assertSorted(r, [by("number")], ["missing", "null", "first", "second", "third", "fourth"]);
    await assertSorted(r, [byDown("number")], ["first", "second", "third", "fourth", "missing", "null"]);
  },

  "sorts by several keys, each in its own direction": async ({ r }) => {
    await insertFiles(r, {
      a: { Value: 1, Flag: true },
      b: { Value: 2, Flag: true },
      c: { Value: 2 },
      d: { Value: 1, Flag: false },
      e: { Value: 2, Flag: false },
      f: { Flag: true },
    });
    await assertSorted(r, [by("number"), byFlag], ["f", "d", "a", "c", "e", "b"]);
    await assertSorted(r, [byDown("number"), byFlag], ["c", "e", "b", "d", "a", "f"]);
    await assertSorted(r, [by("number"), byFlagDown], ["f", "a", "d", "b", "e", "c"]);
    await assertSorted(r, [byFlagDown, byDown("number")], ["b", "a", "f", "e", "d", "c"]);
  },

  "sorts objects of several classes together": async ({ r }) => {
    const classes = ["File", "Image", "User", "File", "Image"];
    const made = await r.objects.insert(
      [2, 1, 3, 1, 2].map((Value, index) => ({ className: classes[index] ?? "", attributes: { Value } })),
    );
    // A repeated class counts once.
    const query = { classes: ["Image", "File", "User", "File"], sort: [by("number")] };
    const expected = [1, 3, 0, 4, 2].map((index) => made[index]?.id);
    equal(await foundIds(r, query), expected, "the IDs in order");
    equal(await r.objects.count(query, seesAll), 5, "number of matches");
  },

  "returns sorted pages without gaps or duplicates": async ({ r }) => {
    await insertMany(r, 47);
    for (const sort of orders) {
      const query: ObjectQuery = { classes: ["File"], sort };
      const whole = await foundIds(r, query);
      equal(new Set(whole).size, 47, "number of files");
      for (const limit of [1, 10, 46, 47, 60]) {
        const paged: string[] = [];
        for (let offset = 0; offset < 47; offset += limit) {
          const { objects, last } = await r.objects.find(query, seesAll, { offset, limit });
          paged.push(...idsOf(objects));
          equal(last?.id, paged.at(-1), "the last position of the page");
        }
        equal(paged, whole, `the files in pages of ${limit}, sorted by ${JSON.stringify(sort)}`);
      }
    }
  },

  "continues after a position without gaps or duplicates": async ({ r }) => {
    await insertMany(r, 47);
    for (const sort of orders) {
      for (const filtered of [{}, { filter: not(oneOf(valueOf("number"), [3])) }]) {
        const query: ObjectQuery = { classes: ["File"], sort, ...filtered };
        const whole = await foundIds(r, query);
        for (const limit of [1, 10, 47]) {
          const walked: string[] = [];
          let page = await r.objects.find(query, seesAll, { offset: 0, limit });
          for (; page.last !== null; page = await r.objects.find(query, seesAll, { after: page.last, limit }))
            walked.push(...idsOf(page.objects));
          equal(walked, whole, `the files after each position in pages of ${limit}, sorted by ${JSON.stringify(sort)}`);
        }
      }
    }
  },

  "continues after a position that no object has": async ({ r }) => {
    const files = { a: { Value: 1 }, b: { Value: 2 }, c: { Value: 2 }, d: { Value: 3 }, e: {} };
    const [a = "", b = ""] = await insertFiles(r, files);
    const names = async (sort: readonly SortKey[], values: readonly (number | null)[], behind: string) => {
      const page = { after: { values, id: behind }, limit: 10 };
      const { objects } = await r.objects.find({ classes: ["File"], sort }, seesAll, page);
      return objects.map(({ attributes }) => attributes["Name"]);
    };
    equal(await names([by("number")], [1.5], a), ["b", "c", "d"], "the names after 1.5");
    equal(await names([by("number")], [2], b), ["c", "d"], "the names after the first 2");
    equal(await names([by("number")], [2], objectIdOf(1)), ["b", "c", "d"], "the names after a 2 with a lower ID");
    equal(await names([by("number")], [2], "ZZZZZZZZZZ"), ["d"], "the names after the last 2");
    const afterNull = await names([by("number")], [null], objectIdOf(1));
    equal(afterNull, ["e", "a", "b", "c", "d"], "the names after a null with a lower ID");
    equal(await names([byDown("number")], [1.5], a), ["a", "e"], "the names after 1.5 in descending order");
    equal(
      await names([byDown("number")], [null], "ZZZZZZZZZZ"),
      [],
      "the names after the last null in descending order",
    );
    equal(await names([], [], b), ["c", "d", "e"], "the names after an ID");
  },

  "continues after an object that is deleted": async ({ storage, r }) => {
    await insertMany(r, 20);
    for (const sort of orders) {
      const query: ObjectQuery = { classes: ["File"], sort };
      const whole = await foundIds(r, query);
      const { objects, last: after } = await r.objects.find(query, seesAll, { offset: 0, limit: 3 });
      if (after === null) throw new Error("The page has no last position.");
      await deleteObjects(storage, idsOf(objects).slice(-1));
      const next = await r.objects.find(query, seesAll, { after, limit: 20 });
      equal(idsOf(next.objects), whole.slice(3), `the files after the deleted one, sorted by ${JSON.stringify(sort)}`);
    }
  },

  "returns an empty sorted page for a limit of zero": async ({ r }) => {
    await insertFiles(r, { a: { Value: 1 } });
    const sort = [by("number")];
    const assertEmpty = async (classes: string[], page: Page, what: string) =>
      equal(await r.objects.find({ classes, sort }, seesAll, page), { objects: [], last: null }, what);
    await assertEmpty(["File"], { offset: 0, limit: 0 }, "a page with a limit of zero");
    await assertEmpty(["File"], { offset: 1_000_000, limit: 10 }, "a distant page");
    await assertEmpty([], wholePage, "a page without any class");
  },

  "keeps sorted pages stable during unrelated writes": async ({ r }) => {
    await insertMany(r, 30);
    const query: ObjectQuery = { classes: ["File"], sort: [by("number"), byFlagDown] };
    const page = { offset: 10, limit: 10 };
    const before = await r.objects.find(query, seesAll, page);
    await r.objects.insert([
      { className: "Image", attributes: { Value: 1 } },
      { className: "File", attributes: { Value: 99 } },
    ]);
    for (let round = 0; round < 3; round += 1) equal(await r.objects.find(query, seesAll, page), before, "the page");
  },

  "stops counting at the limit": async ({ r }) => {
    await insertMany(r, 30);
    const filter = oneOf(valueOf("number"), [1]);
    // Two of five files have this value.
    const matching = 12;
    for (const [query, count] of [
      [{ classes: ["File"] }, 30],
      [{ classes: ["File"], filter }, matching],
      [{ classes: ["File", "Image"], filter }, matching],
    ] as const) {
      equal(await r.objects.count(query, seesAll), count, "number of matches");
      for (const atMost of [0, 1, matching - 1, matching, matching + 1, 30, 5_000]) {
        const expected = Math.min(atMost, count);
        equal(await r.objects.count(query, seesAll, atMost), expected, `number of matches, up to ${atMost}`);
      }
    }
  },
});
