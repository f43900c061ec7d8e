import { type JsonValue, objectNumber, type Page, type StoredObject } from "@sallyport/core";
import { type BrokenAdapter, broken, type Fault } from "../broken-adapter.ts";
import { asking, byUnits, everything, finding } from "./query-faults.ts";

/** Orders pages that hold everything by an order of its own. */
function ordering(compare: (one: JsonValue, other: JsonValue) => number): () => Fault {
  return finding((find) => async (query, visibility, page) => {
    const found = await find(query, visibility, page);
    const [key] = query.sort ?? [];
    if (key === undefined || key.path.type !== "string") return found;
    const name = key.path.leaf;
    const sign = key.descending ? -1 : 1;
    const byNumber = (one: StoredObject, other: StoredObject) => objectNumber(one.id) - objectNumber(other.id);
    return {
      ...found,
      objects: found.objects.toSorted(
        (one, other) =>
          sign * compare(one.attributes[name] ?? "", other.attributes[name] ?? "") || byNumber(one, other),
      ),
    };
  });
}

const isAfter = (page: Page) => "after" in page;

/** Faults in the order of what is found, and in its pages. */
export const brokenOrder: readonly BrokenAdapter[] = [
  broken(
    "does not order",
    ["order numbers", "order texts by code points"],
    asking((query) => ({ ...query, sort: [] })),
  ),
  broken(
    "orders by the first key only",
    "order by several keys, each in its direction",
    asking((query) => ({ ...query, sort: (query.sort ?? []).slice(0, 1) })),
  ),
  broken(
    "orders in one direction only",
    "order dates",
    asking((query) => ({ ...query, sort: (query.sort ?? []).map((key) => ({ ...key, descending: false })) })),
  ),
  broken(
    "orders as a dictionary does",
    "order texts by code points",
    ordering((one, other) => String(one).localeCompare(String(other), "en")),
  ),
  broken("orders by the units of UTF-16", "order texts by code points", ordering(byUnits)),
  broken(
    "orders by the start of long texts",
    "order long texts to their end",
    ordering((one, other) => byUnits(String(one).slice(0, 600), String(other).slice(0, 600))),
  ),
  broken(
    "puts null behind everything",
    "order missing and null before all texts",
    finding((find) => async (query, visibility, page) => {
      const found = await find(query, visibility, page);
      const [key] = query.sort ?? [];
      if (key === undefined) return found;
      const isThere = ({ attributes }: StoredObject) => Number((attributes[key.path.leaf] ?? null) === null);
      return { ...found, objects: found.objects.toSorted((one, other) => isThere(one) - isThere(other)) };
    }),
  ),
  broken(
    "turns round what is equal, too",
    "order what is equal by ascending number, whatever the direction",
    asking((query) => {
      const [first] = query.sort ?? [];
      const id = { path: { hops: [], leaf: "~ObjectID", type: "id" }, descending: true } as const;
      return first?.descending === true ? { ...query, sort: [...(query.sort ?? []), id] } : query;
    }),
  ),
  broken(
    "orders each class by itself",
    "order objects of several classes together",
    finding((find) => async (query, visibility, page) => {
      const classes = [...new Set(query.classes)].toSorted();
      if (classes.length < 2) return find(query, visibility, page);
      const pages = await Promise.all(classes.map((each) => find({ ...query, classes: [each] }, visibility, page)));
      return { objects: pages.flatMap(({ objects }) => objects), last: pages.at(-1)?.last ?? null };
    }),
  ),

  broken(
    "begins an ordered page one too late",
    "order in pages that fit together without gap or overlap",
    finding(
      (find) => (query, visibility, page) =>
        find(
          query,
          visibility,
          "offset" in page && page.offset > 0 && (query.sort ?? []).length > 0
            ? { ...page, offset: page.offset + 1 }
            : page,
        ),
    ),
  ),
  broken(
    "repeats the object of the position",
    "go on behind a position without gap or overlap",
    finding((find, r) => async (query, visibility, page) => {
      const found = await find(query, visibility, page);
      if (!("after" in page)) return found;
      return {
        ...found,
        objects: [...(await r.objects.get([page.after.id], visibility)), ...found.objects].slice(0, page.limit),
      };
    }),
  ),
  broken(
    "skips what is equal to the position",
    "go on behind a position without gap or overlap",
    finding(
      (find) => (query, visibility, page) =>
        find(
          query,
          visibility,
          "after" in page && page.after.values.length > 0
            ? { ...page, after: { ...page.after, id: "ZZZZZZZZZZ" } }
            : page,
        ),
    ),
  ),
  broken(
    "loses the position of what is missing",
    "go on behind a position without gap or overlap",
    finding(
      (find) => async (query, visibility, page) =>
        "after" in page && page.after.values.includes(null)
          ? { objects: [], last: null }
          : find(query, visibility, page),
    ),
  ),
  broken(
    "takes a position for that of its object",
    "go on behind a position though its object is no longer there",
    finding((find) => async (query, visibility, page) => {
      if (!("after" in page)) return find(query, visibility, page);
      const { objects } = await find(query, visibility, everything);
      const place = objects.findIndex(({ id }) => id === page.after.id);
      return find(query, visibility, { offset: place + 1, limit: page.limit });
    }),
  ),
  broken(
    "begins again behind every position",
    "have no page without a length",
    finding(
      (find) => (query, visibility, page) =>
        find(
          query,
          visibility,
          isAfter(page) ? { offset: 0, limit: page.limit } : { ...page, limit: page.limit || 10 },
        ),
    ),
  ),
  broken(
    "tells the position of the first",
    "order in pages that fit together without gap or overlap",
    finding((find) => async (query, visibility, page) => {
      const found = await find(query, visibility, page);
      return found.last === null ? found : { ...found, last: { ...found.last, id: found.objects[0]?.id ?? "" } };
    }),
  ),
  broken(
    "moves ordered pages with every write",
    "keep their pages when others are written meanwhile",
    finding((find) => async (query, visibility, page) => {
      const { objects } = await find({ classes: ["Image"] }, visibility, everything);
      return find(
        query,
        visibility,
        "offset" in page && page.offset > 0 ? { ...page, offset: page.offset + objects.length - 3 } : page,
      );
    }),
  ),
];
