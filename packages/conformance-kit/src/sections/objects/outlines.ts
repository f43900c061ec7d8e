import { type Filter, jsonBytes, type ObjectOutline, seesAll, type StoredObject } from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { valueOf } from "../../fixtures/query-fixtures.ts";
import { findObjects, idsOf } from "../../fixtures/objects.ts";

const all = { offset: 0, limit: 100 };

function withoutBytes({ bytes: _bytes, ...outline }: ObjectOutline) {
  return outline;
}

function outlineOf({ id, uuid, className, version, storedAt }: StoredObject) {
  return { id, uuid, className, version, storedAt };
}

/** Files with a `Value` from 0, every third one without readers, and one image. */
const objects = [
  ...Array.from({ length: 9 }, (_, index) => ({
    className: "File",
    attributes: { Value: index, Text: "x".repeat(8 - index) },
    readers: index % 3 === 2 ? [] : null,
  })),
  { className: "Image", attributes: { Value: 7 }, readers: null },
];

export const objectOutlineChecks: readonly Check[] = checksOf("objects", {
  "returns the outlines of objects": async ({ r }) => {
    const created = await r.objects.insert(objects);
    const outlines = await r.objects.outlines(idsOf(created), seesAll);
    equalInAnyOrder(outlines.map(withoutBytes), created.map(outlineOf), "the outlines");
    const matched = await r.objects.match({ classes: ["Image", "File"] }, seesAll, 100);
    equal(matched.map(withoutBytes), created.map(outlineOf), "the outlines of the matches");
  },

  "returns the byte size of the attributes in an outline": async ({ r }) => {
    const texts = ["", "x".repeat(1_000), "日".repeat(1_000), '"'.repeat(1_000), "\u{1f469}".repeat(1_000)];
    const created = await r.objects.insert(
      texts.map((text) => ({ className: "File", attributes: { Text: text, List: [1, { a: true }] } })),
    );
    const outlines = await r.objects.outlines(idsOf(created), seesAll);
    const matched = await r.objects.match({ classes: ["File"] }, seesAll, 100);
    for (const { id, attributes } of created) {
      for (const list of [outlines, matched]) {
        const [bytes, expected] = [list.find((each) => each.id === id)?.bytes ?? 0, jsonBytes(attributes)];
        isTrue(Math.abs(bytes - expected) <= 20, `The size of attributes with ${expected} bytes must not be ${bytes}`);
      }
    }
  },

  "returns matches in ascending order up to the limit": async ({ r }) => {
    const created = await r.objects.insert(objects);
    const filter: Filter = { kind: "compare", path: valueOf("number"), operator: "gte", value: 4 };
    const sort = [{ path: valueOf("number"), descending: true }];
    const query = { classes: ["File", "Image"], filter, sort };
    const noReader = { classes: null, principals: new Set<string>() };
    for (const visibility of [seesAll, noReader, { classes: new Set(["Image"]), principals: null }]) {
      const found = (await r.objects.find({ classes: query.classes, filter }, visibility, all)).objects.map(outlineOf);
      for (const limit of [100, 2]) {
        const matched = (await r.objects.match(query, visibility, limit)).map(withoutBytes);
        equal(matched, found.slice(0, limit), `the first ${limit} matches`);
      }
    }
    const images = await r.objects.match({ classes: ["Image"] }, seesAll, 100);
    equal(idsOf(images), [created[9]?.id], "the matches of a filter without matches");
    for (const classes of [[], ["Nothing"]])
      equal(await r.objects.match({ classes }, seesAll, 100), [], "the matches without any class");
    equal((await findObjects(r, ["File"])).length, 9, "number of files");
  },
});
