import { objectNumber, seesAll, type StoredObject } from "@sallyport/storage";
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
  "returns objects by ID, each once": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "File", "Image"]));
    const [a, b, c, d] = idsOf(created) as [string, string, string, string];
    equalInAnyOrder(await r.objects.get([d, a, c], seesAll), created.toSpliced(1, 1), "the objects");
    const several = await r.objects.get([a, b, a, a, b], seesAll);
    equalInAnyOrder(several, created.slice(0, 2), "the objects for repeated IDs");
    equal(await r.objects.get([], seesAll), [], "the objects for no IDs");
  },

  "returns no object for an unknown ID": async ({ r }) => {
    const created = await r.objects.insert(plain(["File"]));
    equal(await r.objects.get(["ZZZZZZZZZZ"], seesAll), [], "the object with an unknown ID");
    const among = await r.objects.get(["ZZZZZZZZZZ", ...idsOf(created), "ZZZZZZZZZY"], seesAll);
    equal(among, created, "the objects for known and unknown IDs");
  },

  "returns no object for another spelling of its ID": async ({ r }) => {
    const ids = idsOf(await r.objects.insert(files(40)));
    const spellings = ids.flatMap((id) => [
      ...["0", "+", "-", " "].map((before) => before + id),
      ...[" ", ".0", "\0", "/"].map((behind) => id + behind),
    ]);
    const numbers = ["0", "", "1e1", "0x1", "ZZZZZZZZZZZ", "9".repeat(40), "NaN", "Infinity"];
    const others = [...ids.filter((id) => /[A-Z]/.test(id)).map((id) => id.toLowerCase()), ...numbers];
    const odd = [...spellings, ...others, ...hostileTexts, ...unstorableTexts];
    equal(await r.objects.get(odd, seesAll), [], "the objects for all spellings");
    for (const id of [...spellings.slice(0, 8), ...others, ...unstorableTexts]) {
      equal(await r.objects.get([id], seesAll), [], `the object with the ID ${JSON.stringify(id)}`);
    }
  },

  "returns no object for an unknown or malformed UUID": async ({ r }) => {
    const [object] = await r.objects.insert(plain(["File"]));
    for (const text of noUuids(object?.uuid ?? ""))
      equal(await objectByUuid(r, text), null, `the object with the UUID ${JSON.stringify(text)}`);
  },

  "returns objects by UUIDs, each once, and ignores malformed UUIDs": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "Image"]));
    const [a, b, c] = pluck(created, "uuid") as [string, string, string];
    const none = noUuids(b);
    const found = await r.objects.get({ uuids: [c, a, c, a.toUpperCase(), ...none] }, seesAll);
    equalInAnyOrder(found, created.toSpliced(1, 1), "the objects");
    equal(await r.objects.get({ uuids: none }, seesAll), [], "the objects for malformed UUIDs");
    equal(await r.objects.get({ uuids: [] }, seesAll), [], "the objects for no UUIDs");
  },

  "lists objects of exactly the requested classes": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "File", "Image", "User"]));
    // `Employee` has no objects.
    const classLists = [
      ["File"],
      ["Image"],
      ["User", "File"],
      ["File", "User", "Image"],
      ["Employee"],
      ["Employee", "File"],
      [],
    ];
    for (const classes of classLists) {
      const expected = created.filter(({ className }) => classes.includes(className));
      equal(await findObjects(r, classes), expected, `the objects of ${classes.join()}`);
      const count = await r.objects.count({ classes }, seesAll);
      equal(count, expected.length, `number of objects of ${classes.join()}`);
    }
  },

  "lists objects once if their class is requested twice": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "User", "File"]));
    equal(await findObjects(r, ["File", "User", "File"]), created, "the objects");
    equal(await r.objects.count({ classes: ["File", "File"] }, seesAll), 2, "number of objects");
  },

  "compares class names exactly in lists": async ({ r }) => {
    await r.objects.insert(plain(["File", "User"]));
    const others = ["file", "FILE", "File ", "Fil_", "Fil%", "%", "", ...hostileTexts];
    equal(await findObjects(r, others), [], "the objects of other names");
    equal(await r.objects.count({ classes: others }, seesAll), 0, "number of objects of other names");
    for (const name of others) equal(await findObjects(r, [name]), [], `the objects of ${JSON.stringify(name)}`);
  },

  "lists objects in numeric order of their IDs": async ({ r }) => {
    for (let batch = 0; batch < 4; batch += 1)
      await r.objects.insert(plain(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? "File" : "User"))));
    for (const classes of [["File"], ["User", "File"]]) {
      const numbers = idsOf(await findObjects(r, classes)).map(objectNumber);
      const ordered = numbers.toSorted((a, b) => a - b);
      equal(numbers, ordered, "the numbers in order");
      equal(numbers.length, 40 * classes.length, "number of listed objects");
    }
  },

  "lists objects in pages without gaps or duplicates": async ({ r }) => {
    const created = await r.objects.insert(
      plain(Array.from({ length: 53 }, (_, i) => ["File", "User", "Image"][i % 3] as string)),
    );
    for (const limit of [1, 7, 10, 53, 60]) {
      const pages: (readonly StoredObject[])[] = [];
      for (let offset = 0; offset < 53; offset += limit) {
        pages.push(await findObjects(r, ["User", "Image", "File"], seesAll, { offset, limit }));
      }
      for (const page of pages.slice(0, -1)) equal(page.length, limit, "the length of a page before the last");
      equal(idsOf(pages.flat()), idsOf(created), `the IDs in pages of ${limit}`);
    }
  },

  "keeps the pages of a list stable while objects are created": async ({ r }) => {
    await r.objects.insert(files(30));
    const page = { offset: 10, limit: 10 };
    const before = await findObjects(r, ["File"], seesAll, page);
    await r.objects.insert(plain(["File", "User", "File"]));
    for (let round = 0; round < 3; round += 1) equal(await findObjects(r, ["File"], seesAll, page), before, "the page");
  },

  "returns an empty page beyond the end and for a limit of zero": async ({ r }) => {
    const created = await r.objects.insert(plain(["File", "File", "File"]));
    const find = (offset: number, limit: number) => findObjects(r, ["File"], seesAll, { offset, limit });
    equal(await find(3, 10), [], "the page after the last");
    equal(await find(1_000_000, 10), [], "a distant page");
    equal(await find(0, 0), [], "a page with a limit of zero");
    equal(await find(2, 10), created.slice(2), "the last page");
    equal(await find(0, 3), created, "a page that ends at the last object");
  },

  "reads large numbers of objects": async ({ r }) => {
    const ids = idsOf(await r.objects.insert(files(1_000)));
    equal(idsOf(await findObjects(r, ["File"])), ids, "the IDs by class");
    const found = await r.objects.get(ids.toReversed(), seesAll);
    equal([found.length, new Set(idsOf(found)).size], [1_000, 1_000], "number of objects by ID");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 1_000, "number of objects");
  },
});
