import { objectNumber, seesAll, type StoredObject } from "@sallyport/core";
import { equal, equalInAnyOrder } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck } from "../../fixtures/lists.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { files, findObjects, idsOf, objectByUuid } from "../../fixtures/objects.ts";

/** The properties of objects of these classes, in order. */
function plain(classNames: readonly string[]) {
  return classNames.map((className, index) => ({ className, attributes: { Name: `${className} ${index}` } }));
}

/** Invalid UUIDs, some close to the given one, and a UUID without an object. */
function noUuids(uuid: string): readonly string[] {
  const spellings = [uuid.replaceAll("-", ""), `{${uuid}}`, ` ${uuid}`, `${uuid}\0`, uuid.slice(1), ""];
  return ["00000000-0000-0000-0000-000000000000", ...spellings, ...hostileTexts, ...unstorableTexts];
}

export const objectReadingChecks: readonly Check[] = checksOf("objects", {
  "are found by their ids, each once": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "File", "Image"]));
    const [a, b, c, d] = idsOf(created) as [string, string, string, string];
    equalInAnyOrder(await r.objects.get([d, a, c], seesAll), created.toSpliced(1, 1), "the objects");
    const several = await r.objects.get([a, b, a, a, b], seesAll);
    equalInAnyOrder(several, created.slice(0, 2), "the objects asked for several times");
    equal(await r.objects.get([], seesAll), [], "the objects of no ids");
  },

  "are absent when nothing has their id": async ({ r }) => {
    const created = await r.objects.insert(plain(["File"]));
    equal(await r.objects.get(["ZZZZZZZZZZ"], seesAll), [], "the object of an id that was never given");
    const among = await r.objects.get(["ZZZZZZZZZZ", ...idsOf(created), "ZZZZZZZZZY"], seesAll);
    equal(among, created, "the objects among ids that were never given");
  },

  "are not found by another spelling of their id": async ({ r }) => {
    const ids = idsOf(await r.objects.insert(files(40)));
    const spellings = ids.flatMap((id) => [
      ...["0", "+", "-", " "].map((before) => before + id),
      ...[" ", ".0", "\0", "/"].map((behind) => id + behind),
    ]);
    const numbers = ["0", "", "1e1", "0x1", "ZZZZZZZZZZZ", "9".repeat(40), "NaN", "Infinity"];
    const others = [...ids.filter((id) => /[A-Z]/.test(id)).map((id) => id.toLowerCase()), ...numbers];
    const odd = [...spellings, ...others, ...hostileTexts, ...unstorableTexts];
    equal(await r.objects.get(odd, seesAll), [], "the objects of all spellings together");
    for (const id of [...spellings.slice(0, 8), ...others, ...unstorableTexts]) {
      equal(await r.objects.get([id], seesAll), [], `the object of ${JSON.stringify(id)}`);
    }
  },

  "are not found by a text that is no UUID or nobody's": async ({ r }) => {
    const [object] = await r.objects.insert(plain(["File"]));
    for (const text of noUuids(object?.uuid ?? ""))
      equal(await objectByUuid(r, text), null, `the object with the UUID ${JSON.stringify(text)}`);
  },

  "are found by their UUIDs, each once, and texts that are none are as good as absent": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "Image"]));
    const [a, b, c] = pluck(created, "uuid") as [string, string, string];
    const none = noUuids(b);
    const found = await r.objects.get({ uuids: [c, a, c, a.toUpperCase(), ...none] }, seesAll);
    equalInAnyOrder(found, created.toSpliced(1, 1), "the objects");
    equal(await r.objects.get({ uuids: none }, seesAll), [], "the objects of texts that are no UUIDs");
    equal(await r.objects.get({ uuids: [] }, seesAll), [], "the objects of none");
  },

  "are listed by exactly the classes asked for": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "File", "Image", "User"]));
    const known = [["File"], ["Image"], ["User", "File"], ["File", "User", "Image"]];
    const asked = [...known, ["Employee"], ["Employee", "File"], []];
    for (const classes of asked) {
      const expected = created.filter(({ className }) => classes.includes(className));
      equal(await findObjects(r, classes), expected, `the objects of ${classes.join()}`);
      const count = await r.objects.count({ classes }, seesAll);
      equal(count, expected.length, `how many objects of ${classes.join()} there are`);
    }
  },

  "are listed once though their class is asked for twice": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "File"]));
    equal(await findObjects(r, ["File", "User", "File"]), created, "the objects");
    equal(await r.objects.count({ classes: ["File", "File"] }, seesAll), 2, "how many objects there are");
  },

  "are listed by class names compared exactly": async ({ r }) => {
    await r.objects.insert(plain(["File", "User"]));
    const others = ["file", "FILE", "File ", "Fil_", "Fil%", "%", "", ...hostileTexts];
    equal(await findObjects(r, others), [], "the objects of other names together");
    equal(await r.objects.count({ classes: others }, seesAll), 0, "how many objects of other names there are");
    for (const name of others) equal(await findObjects(r, [name]), [], `the objects of ${JSON.stringify(name)}`);
  },

  "are listed by ascending number, not by the text of their ids": async ({ r }) => {
    for (let batch = 0; batch < 4; batch += 1)
      await r.objects.insert(plain(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? "File" : "User"))));
    for (const classes of [["File"], ["User", "File"]]) {
      const numbers = idsOf(await findObjects(r, classes)).map(objectNumber);
      const ordered = numbers.toSorted((a, b) => a - b);
      equal(numbers, ordered, "the numbers in order");
      equal(numbers.length, 40 * classes.length, "how many objects are listed");
    }
  },

  "are listed in pages that fit together without gap or overlap": async ({ r }) => {
    const created = await r.objects.insert(
      plain(Array.from({ length: 53 }, (_, i) => ["File", "User", "Image"][i % 3] as string)),
    );
    for (const limit of [1, 7, 10, 53, 60]) {
      const pages: (readonly StoredObject[])[] = [];
      for (let offset = 0; offset < 53; offset += limit) {
        pages.push(await findObjects(r, ["User", "Image", "File"], seesAll, { offset, limit }));
      }
      for (const page of pages.slice(0, -1)) equal(page.length, limit, "the length of a page that is not the last");
      equal(idsOf(pages.flat()), idsOf(created), `the ids in pages of ${limit}`);
    }
  },

  "are listed in the same pages again and again, whatever is created meanwhile": async ({ r }) => {
    await r.objects.insert(files(30));
    const page = { offset: 10, limit: 10 };
    const before = await findObjects(r, ["File"], seesAll, page);
    await r.objects.insert(plain(["File", "User", "File"]));
    for (let round = 0; round < 3; round += 1) equal(await findObjects(r, ["File"], seesAll, page), before, "the page");
  },

  "are none on a page beyond the end or without a length": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "File", "File"]));
    const find = (offset: number, limit: number) => findObjects(r, ["File"], seesAll, { offset, limit });
    equal(await find(3, 10), [], "the page after the last");
    equal(await find(1_000_000, 10), [], "a page far behind");
    equal(await find(0, 0), [], "a page without a length");
    equal(await find(2, 10), created.slice(2), "the last page");
    equal(await find(0, 3), created, "a page that fits exactly");
  },

  "are read in large numbers": async ({ r }) => {
    const ids = idsOf(await r.objects.insert(files(1_000)));
    equal(idsOf(await findObjects(r, ["File"])), ids, "the ids by class");
    const found = await r.objects.get(ids.toReversed(), seesAll);
    equal([found.length, new Set(idsOf(found)).size], [1_000, 1_000], "how many are found by id, each once");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 1_000, "how many there are");
  },
});
