import { type JsonValue, objectNumber, type Page, type StoredObject } from "@sallyport/storage";
import { type BrokenAdapter, broken, type Fault } from "../broken-adapter.ts";
import { asking, byUnits, everything, finding } from "./query-faults.ts";

/** Sorts complete pages by its own order. */
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

/** Faults in the sort order and in sorted pages. */
export const brokenOrder: readonly BrokenAdapter[] = [
  broken(
    "ignores the sort order",
    ["sorts numbers", "sorts texts by code points"],
    asking((query) => ({ ...query, sort: [] })),
  ),
  broken(
    "sorts by the first key only",
    "sorts by several keys, each in its own direction",
    asking((query) => ({ ...query, sort: (query.sort ?? []).slice(0, 1) })),
  ),
  broken(
    "sorts in one direction only",
    "sorts dates",
    asking((query) => ({ ...query, sort: (query.sort ?? []).map((key) => ({ ...key, descending: false })) })),
  ),
  broken(
    "sorts texts by locale",
    "sorts texts by code points",
    ordering((one, other) => String(one).localeCompare(String(other), "en")),
  ),
  broken("sorts texts by UTF-16 code units", "sorts texts by code points", ordering(byUnits)),
  broken(
    "sorts long texts by their start",
    "sorts long texts by their whole length",
    ordering((one, other) => byUnits(String(one).slice(0, 600), String(other).slice(0, 600))),
  ),
  broken(
    "sorts null last",
    "sorts missing and null values before all texts",
    finding((find) => async (query, visibility, page) => {
      const found = await find(query, visibility, page);
      const [key] = query.sort ?? [];
      if (key === undefined) return found;
      const isThere = ({ attributes }: StoredObject) => Number((attributes[key.path.leaf] ?? null) === null);
      return { ...found, objects: found.objects.toSorted((one, other) => isThere(one) - isThere(other)) };
    }),
  ),
  broken(
    "reverses equal values",
    "sorts equal values by ascending number in both directions",
    asking((query) => {
      const [first] = query.sort ?? [];
      const id = { path: { hops: [], leaf: "~ObjectID", type: "id" }, descending: true } as const;
      return first?.descending === true ? { ...query, sort: [...(query.sort ?? []), id] } : query;
    }),
  ),
  broken(
    "sorts each class separately",
    "sorts objects of several classes together",
    finding((find) => async (query, visibility, page) => {
      const classes = [...new Set(query.classes)].toSorted();
      if (classes.length < 2) return find(query, visibility, page);
      const pages = await Promise.all(classes.map((each) => find({ ...query, classes: [each] }, visibility, page)));
      return { objects: pages.flatMap(({ objects }) => objects), last: pages.at(-1)?.last ?? null };
    }),
  ),

  broken(
    "begins a sorted page one object too late",
    "returns sorted pages without gaps or duplicates",
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
    "returns the object of the position again",
    "continues after a position without gaps or duplicates",
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
    "skips objects equal to the position",
    "continues after a position without gaps or duplicates",
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
    "ignores positions with missing values",
    "continues after a position without gaps or duplicates",
    finding(
      (find) => async (query, visibility, page) =>
        "after" in page && page.after.values.includes(null)
          ? { objects: [], last: null }
          : find(query, visibility, page),
    ),
  ),
  broken(
    "uses the object of a position instead of its values",
    "continues after a position whose object no longer exists",
    finding((find) => async (query, visibility, page) => {
      if (!("after" in page)) return find(query, visibility, page);
      const { objects } = await find(query, visibility, everything);
      const place = objects.findIndex(({ id }) => id === page.after.id);
      return find(query, visibility, { offset: place + 1, limit: page.limit });
    }),
  ),
  broken(
    "returns the first page for every sorted position",
    "returns an empty sorted page for a limit of zero",
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
    "returns the position of the first object",
    "returns sorted pages without gaps or duplicates",
    finding((find) => async (query, visibility, page) => {
      const found = await find(query, visibility, page);
      return found.last === null ? found : { ...found, last: { ...found.last, id: found.objects[0]?.id ?? "" } };
    }),
  ),
  broken(
    "shifts sorted pages with every write",
    "keeps sorted pages stable during unrelated writes",
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
