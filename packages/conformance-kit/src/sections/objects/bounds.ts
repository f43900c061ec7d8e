import {
  AnswerTooLargeError,
  type Filter,
  type ObjectQuery,
  type Page,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck } from "../../fixtures/lists.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { valueOf } from "../../fixtures/query-fixtures.ts";

/** Bytes: the size of each large object, and an upper bound for its attribute names. */
const large = 10_000;
const slack = 1_000;

const noReader: Visibility = { classes: null, principals: new Set() };

/** Objects of about 10,000 bytes, with a `Value` from 0. */
function largeOnes(
  count: number,
  properties: { readonly className?: string; readonly readers?: readonly string[] } = {},
) {
  return Array.from({ length: count }, (_, index) => ({
    className: "File",
    attributes: { Value: index, Text: "x".repeat(large) },
    ...properties,
  }));
}

/** Admits all large objects of a check: their values are below 5. */
const belowFive: Filter = { kind: "compare", path: valueOf("number"), operator: "lt", value: 5 };
const sort = [{ path: valueOf("number"), descending: true }];

/** All forms of a list query. */
const queries: readonly (readonly [string, ObjectQuery])[] = [
  ["of one class", { classes: ["File"] }],
  ["of several classes", { classes: ["File", "Image"] }],
  ["with a filter", { classes: ["File"], filter: belowFive }],
  ["with a sort order", { classes: ["File"], sort }],
  ["with a filter and a sort order", { classes: ["File", "Image"], filter: belowFive, sort }],
];

/** Asserts that a read succeeds if the byte limit fits its objects, and fails if it fits one less. */
async function assertBounded(
  read: (bytes: number) => Promise<readonly StoredObject[]>,
  expected: readonly StoredObject[],
  what: string,
  compare: (actual: readonly unknown[], expected: readonly unknown[], what: string) => void = equal,
): Promise<void> {
  compare(await read(expected.length * large + slack), expected, what);
  const error = await failsWith(307, () => read((expected.length - 1) * large), what);
  isTrue(error instanceof AnswerTooLargeError, `${what}: the error must be an AnswerTooLargeError`);
}

async function lists(
  r: Repositories,
  query: ObjectQuery,
  page: Page,
  bytes: number,
  visibility = seesAll,
): Promise<readonly StoredObject[]> {
  return (await r.objects.find(query, visibility, page, bytes)).objects;
}

export const objectBoundChecks: readonly Check[] = checksOf("objects", {
  "refuses to read objects by IDs and UUIDs beyond the byte limit": async ({ r }) => {
    const created = await r.objects.insert(largeOnes(5));
    const ids = idsOf(created);
    const uuids = pluck(created, "uuid");
    await assertBounded((bytes) => r.objects.get(ids, seesAll, bytes), created, "the objects by IDs", equalInAnyOrder);
    await assertBounded(
      (bytes) => r.objects.get({ uuids }, seesAll, bytes),
      created,
      "the objects by UUIDs",
      equalInAnyOrder,
    );
    for (const object of created) {
      equal(await r.objects.get([object.id], seesAll, 1), [object], "a single object by ID");
      equal(await r.objects.get({ uuids: [object.uuid] }, seesAll, 1), [object], "a single object by UUID");
    }
  },

  "refuses to list a page beyond the byte limit": async ({ r }) => {
    const created = await r.objects.insert(largeOnes(5));
    for (const [what, query] of queries) {
      const order = query.sort === undefined ? created : created.toReversed();
      const { last } = await r.objects.find(query, seesAll, { offset: 0, limit: 1 }, 5 * large);
      isTrue(last !== null, "A page must return its last position");
      const page = (asked: Page) => (bytes: number) => lists(r, query, asked, bytes);
      await assertBounded(page({ offset: 0, limit: 10 }), order, `a list ${what}`);
      await assertBounded(page({ offset: 1, limit: 3 }), order.slice(1, 4), `a page of a list ${what}`);
      await assertBounded(page({ after: last, limit: 3 }), order.slice(1, 4), `a continued list ${what}`);
    }
  },

  "refuses to list a distant page beyond the byte limit": async ({ r }) => {
    // Storages may read a page behind so many objects in another way than a near one.
    const before = 1_100;
    await r.objects.insert(Array.from({ length: before }, () => ({ className: "File", attributes: {} })));
    const created = await r.objects.insert(largeOnes(3));
    const page = { offset: before, limit: 10 };
    for (const classes of [["File"], ["File", "Image"]])
      await assertBounded((bytes) => lists(r, { classes }, page, bytes), created, "the page");
  },

  "does not count invisible objects towards the byte limit": async ({ r }) => {
    const restricted = await r.objects.insert(largeOnes(3, { readers: [] }));
    const images = await r.objects.insert(largeOnes(3, { className: "Image" }));
    const open = await r.objects.insert(largeOnes(1));
    const all = [...restricted, ...images, ...open];
    const cases: [Visibility, StoredObject[]][] = [
      [noReader, open],
      [seesAll, [...restricted, ...open]],
    ];
    for (const [of, visible] of cases) {
      const visibility = { ...of, classes: new Set(["File"]) };
      const bytes = visible.length * large + slack;
      equalInAnyOrder(await r.objects.get(idsOf(all), visibility, bytes), visible, "the objects by IDs");
      const byUuids = await r.objects.get({ uuids: pluck(all, "uuid") }, visibility, bytes);
      equalInAnyOrder(byUuids, visible, "the objects by UUIDs");
      for (const [what, query] of queries)
        equalInAnyOrder(await lists(r, query, { offset: 0, limit: 10 }, bytes, visibility), visible, `a list ${what}`);
    }
  },
});
