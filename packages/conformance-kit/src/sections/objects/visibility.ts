import {
  isVisible,
  type NewObject,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import { equal, equalInAnyOrder } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { findObjects, idsOf, objectByUuid } from "../../fixtures/objects.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";

const classes = ["File", "Image", "User"];
const readerLists = [null, [], ["A1"], ["B2"], ["A1", "B2"], ["C3", "B2"]];

const visibilities: readonly Visibility[] = [null, [], ["File"], ["Image", "User"], ["Employee"], classes].flatMap(
  (visible) =>
    [null, [], ["A1"], ["B2", "D4"], ["A1", "B2", "C3"], ["ZZZZZZZZZZ"]].map((principals) => ({
      classes: visible === null ? null : new Set(visible),
      principals: principals === null ? null : new Set(principals),
    })),
);

/** Every class with every list of readers, twice. */
function insertAll(r: Repositories): Promise<StoredObject[]> {
  const one: NewObject[] = classes.flatMap((className) =>
    readerLists.map((readers) => ({ className, attributes: {}, readers })),
  );
  return r.objects.insert([...one, ...one]);
}

function label(visibility: Visibility): string {
  return JSON.stringify(visibility, (_name, value: unknown) => (value instanceof Set ? [...value] : value));
}

export const objectVisibilityChecks: readonly Check[] = checksOf("objects", {
  "are found by id as far as they are visible": async ({ r }) => {
    const objects = await insertAll(r);
    for (const visibility of visibilities) {
      const visible = objects.filter((object) => isVisible(object, visibility));
      equalInAnyOrder(await r.objects.get(idsOf(objects), visibility), visible, `the objects for ${label(visibility)}`);
    }
  },

  "are outlined, each once, if they can be found by their ids": async ({ r }) => {
    const objects = await insertAll(r);
    const ids = idsOf(objects);
    const odd = [
      "ZZZZZZZZZZ",
      "",
      "0",
      "1e1",
      `0${ids[0]}`,
      ` ${ids[0]}`,
      "9".repeat(40),
      ...hostileTexts,
      ...unstorableTexts,
    ];
    for (const visibility of visibilities) {
      const visible = idsOf(objects.filter((object) => isVisible(object, visibility)));
      const found = await r.objects.outlines([...ids, ...odd, ...ids.slice(0, 3)], visibility);
      equal(idsOf(found).toSorted(), visible.toSorted(), `the outlined ids for ${label(visibility)}`);
    }
    equal(await r.objects.outlines([], seesAll), [], "the outlines of none");
    equal(await r.objects.outlines(odd, seesAll), [], "the outlines of nothing");
  },

  "are found by a single id if they are visible": async ({ r }) => {
    const objects = (await insertAll(r)).slice(0, classes.length * readerLists.length);
    for (const visibility of visibilities.filter((_, index) => index % 3 === 1)) {
      for (const object of objects) {
        const expected = isVisible(object, visibility) ? [object] : [];
        equal(
          await r.objects.get([object.id], visibility),
          expected,
          `the object of ${object.className} for ${label(visibility)}`,
        );
      }
    }
  },

  "are found by UUID if they are visible": async ({ r }) => {
    const objects = (await insertAll(r)).slice(0, classes.length * readerLists.length);
    for (const visibility of visibilities.filter((_, index) => index % 3 === 2)) {
      for (const object of objects) {
        const expected = isVisible(object, visibility) ? object : null;
        equal(
          await objectByUuid(r, object.uuid, visibility),
          expected,
          `the object of ${object.className} for ${label(visibility)}`,
        );
      }
    }
  },

  "are found by several UUIDs as far as they are visible": async ({ r }) => {
    const objects = await insertAll(r);
    const uuids = objects.map(({ uuid }, index) => (index % 2 === 0 ? uuid : uuid.toUpperCase()));
    for (const visibility of visibilities) {
      const visible = objects.filter((object) => isVisible(object, visibility));
      equalInAnyOrder(await r.objects.get({ uuids }, visibility), visible, `the objects for ${label(visibility)}`);
    }
  },

  "are listed as far as they are visible": async ({ r }) => {
    const objects = await insertAll(r);
    for (const visibility of visibilities) {
      for (const asked of [classes, ["File"]]) {
        const visible = objects.filter((object) => asked.includes(object.className) && isVisible(object, visibility));
        equal(await findObjects(r, asked, visibility), visible, `the objects for ${label(visibility)}`);
      }
    }
  },

  "are counted as far as they are visible": async ({ r }) => {
    const objects = await insertAll(r);
    for (const visibility of visibilities) {
      for (const asked of [classes, ["File"], ["Image", "User"]]) {
        const visible = objects.filter((object) => asked.includes(object.className) && isVisible(object, visibility));
        equal(
          await r.objects.count({ classes: asked }, visibility),
          visible.length,
          `how many objects there are for ${label(visibility)}`,
        );
      }
    }
  },

  "leave no gaps in pages where they are not visible": async ({ r }) => {
    const objects = await insertAll(r);
    for (const principals of [null, [], ["A1"], ["B2", "C3"]]) {
      const visibility = {
        classes: new Set(["File", "User"]),
        principals: principals === null ? null : new Set(principals),
      };
      const visible = objects.filter((object) => isVisible(object, visibility));
      const paged: StoredObject[] = [];
      for (let offset = 0; offset < visible.length; offset += 3) {
        const page = await findObjects(r, classes, visibility, { offset, limit: 3 });
        equal(page.length, Math.min(3, visible.length - offset), "the length of the page");
        paged.push(...page);
      }
      equal(paged, visible, `the pages for ${label(visibility)}`);
    }
  },

  "take hostile names of classes and principals for what they are": async ({ r }) => {
    const objects = await insertAll(r);
    const ids = idsOf(objects);
    const open = objects.filter(({ readers }) => readers === null);
    const hostile = new Set(hostileTexts);
    equalInAnyOrder(
      await r.objects.get(ids, { classes: null, principals: hostile }),
      open,
      "the objects for hostile principals",
    );
    equal(await r.objects.get(ids, { classes: hostile, principals: null }), [], "the objects for hostile classes");
    equal(
      await r.objects.count({ classes }, { classes: hostile, principals: hostile }),
      0,
      "how many objects there are",
    );
    equal(
      await r.objects.count({ classes }, { classes: null, principals: hostile }),
      open.length,
      "how many objects there are",
    );
  },
});
