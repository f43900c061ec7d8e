import { isVisible, type NewObject, type Repositories, type StoredObject, type Visibility } from "@sallyport/storage";
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

/** Objects of every class with every list of readers, twice. */
function insertAll(r: Repositories): Promise<StoredObject[]> {
  const one: NewObject[] = classes.flatMap((className) =>
    readerLists.map((readers) => ({ className, attributes: {}, readers })),
  );
  return r.objects.insert([...one, ...one]);
}

/** The view of one caller. */
interface View {
  readonly r: Repositories;
  readonly objects: readonly StoredObject[];
  readonly visibility: Visibility;
  readonly visible: readonly StoredObject[];
  /** The caller, as part of a message. */
  readonly who: string;
}

/** A check that runs with the visibility of each caller. */
function asEach(look: (view: View) => Promise<void>, callers = visibilities): Check["run"] {
  return async ({ r }) => {
    const objects = await insertAll(r);
    for (const visibility of callers) {
      const visible = objects.filter((object) => isVisible(object, visibility));
      const caller = JSON.stringify(visibility, (_, value: unknown) => (value instanceof Set ? [...value] : value));
      await look({ r, objects, visibility, visible, who: `for ${caller}` });
    }
  };
}

/** Every third caller, from index `first`. */
const everyThird = (first: number) => visibilities.filter((_, index) => index % 3 === first);

/** Two classes as seen by a caller with full visibility, by one without principals, and by others with some. */
const ofTwoClasses: readonly Visibility[] = [null, [], ["A1"], ["B2", "C3"]].map((principals) => ({
  classes: new Set(["File", "User"]),
  principals: principals === null ? null : new Set(principals),
}));

export const objectVisibilityChecks: readonly Check[] = checksOf("objects", {
  "returns visible objects by ID": asEach(async ({ r, objects, visibility, visible, who }) =>
    equalInAnyOrder(await r.objects.get(idsOf(objects), visibility), visible, `the objects ${who}`),
  ),

  "returns outlines of visible objects by ID, each once": asEach(async ({ r, objects, visibility, visible, who }) => {
    const ids = idsOf(objects);
    const spellings = [`0${ids[0]}`, ` ${ids[0]}`, "", "0", "1e1", "ZZZZZZZZZZ", "9".repeat(40)];
    const odd = [...spellings, ...hostileTexts, ...unstorableTexts];
    const found = await r.objects.outlines([...ids, ...odd, ...ids.slice(0, 3)], visibility);
    equal(idsOf(found).toSorted(), idsOf(visible).toSorted(), `the outlined IDs ${who}`);
    equal(await r.objects.outlines([], visibility), [], "the outlines for no IDs");
    equal(await r.objects.outlines(odd, visibility), [], "the outlines for unknown IDs");
  }),

  "returns a visible object by a single ID": asEach(async ({ r, objects, visibility, visible, who }) => {
    for (const object of objects.slice(0, objects.length / 2)) {
      const expected = visible.filter(({ id }) => id === object.id);
      equal(await r.objects.get([object.id], visibility), expected, `the object of ${object.className} ${who}`);
    }
  }, everyThird(1)),

  "returns a visible object by UUID": asEach(async ({ r, objects, visibility, visible, who }) => {
    for (const object of objects.slice(0, objects.length / 2)) {
      const expected = visible.find(({ id }) => id === object.id) ?? null;
      equal(await objectByUuid(r, object.uuid, visibility), expected, `the object of ${object.className} ${who}`);
    }
  }, everyThird(2)),

  "returns visible objects by several UUIDs": asEach(async ({ r, objects, visibility, visible, who }) => {
    const uuids = objects.map(({ uuid }, index) => (index % 2 === 0 ? uuid : uuid.toUpperCase()));
    equalInAnyOrder(await r.objects.get({ uuids }, visibility), visible, `the objects ${who}`);
  }),

  "lists visible objects": asEach(async ({ r, visibility, visible, who }) => {
    for (const asked of [classes, ["File"]]) {
      const expected = visible.filter(({ className }) => asked.includes(className));
      equal(await findObjects(r, asked, visibility), expected, `the objects ${who}`);
    }
  }),

  "counts visible objects": asEach(async ({ r, visibility, visible, who }) => {
    for (const asked of [classes, ["File"], ["Image", "User"]]) {
      const expected = visible.filter(({ className }) => asked.includes(className)).length;
      equal(await r.objects.count({ classes: asked }, visibility), expected, `number of objects ${who}`);
    }
  }),

  "fills pages with visible objects only": asEach(async ({ r, visibility, visible, who }) => {
    const paged: StoredObject[] = [];
    for (let offset = 0; offset < visible.length; offset += 3) {
      const page = await findObjects(r, classes, visibility, { offset, limit: 3 });
      equal(page.length, Math.min(3, visible.length - offset), "the length of the page");
      paged.push(...page);
    }
    equal(paged, visible, `the pages ${who}`);
  }, ofTwoClasses),

  "treats hostile class names and principals literally": async ({ r }) => {
    const objects = await insertAll(r);
    const hostile = new Set(hostileTexts);
    const callers: readonly [Visibility, readonly StoredObject[]][] = [
      [{ classes: null, principals: hostile }, objects.filter(({ readers }) => readers === null)],
      [{ classes: hostile, principals: null }, []],
      [{ classes: hostile, principals: hostile }, []],
    ];
    for (const [visibility, visible] of callers) {
      equalInAnyOrder(await r.objects.get(idsOf(objects), visibility), visible, "the objects");
      equal(await r.objects.count({ classes }, visibility), visible.length, "number of objects");
    }
  },
});
