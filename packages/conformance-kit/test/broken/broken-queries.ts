import {
  type Filter,
  type JsonValue,
  objectNumber,
  type ObjectPage,
  type ObjectQuery,
  type Page,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import { type BrokenAdapter, broken, type Fault } from "./broken-adapter.ts";

type Leaf = Exclude<Filter, { kind: "all" | "any" | "not" }>;
type Find = (query: ObjectQuery, visibility: Visibility, page: Page) => Promise<ObjectPage>;

const everything = { offset: 0, limit: 100_000 };

/** The filter with other parts in the place of its own, the innermost first. */
function rewritten(filter: Filter, change: (filter: Filter) => Filter): Filter {
  if (filter.kind === "all" || filter.kind === "any")
    return change({ ...filter, filters: filter.filters.map((each) => rewritten(each, change)) });
  return change(filter.kind === "not" ? { kind: "not", filter: rewritten(filter.filter, change) } : filter);
}

/** Asks for something else than it was asked for. */
function asking(change: (query: ObjectQuery) => ObjectQuery): () => Fault {
  return () => (r) => ({
    objects: {
      find: (query, visibility, page) => r.objects.find(change(query), visibility, page),
      count: (query, visibility, atMost) => r.objects.count(change(query), visibility, atMost),
    },
  });
}

function filtering(change: (filter: Filter) => Filter): () => Fault {
  return asking((query) =>
    query.filter === undefined ? query : { ...query, filter: rewritten(query.filter, change) },
  );
}

/** Judges the conditions on values of its own objects by itself. `undefined` leaves one to the storage. */
function judging(judge: (leaf: Leaf, object: StoredObject) => boolean | undefined): () => Fault {
  const changed = async (r: Repositories, query: ObjectQuery): Promise<ObjectQuery> => {
    if (query.filter === undefined) return query;
    const { objects } = await r.objects.find({ classes: query.classes }, seesAll, everything);
    const change = (leaf: Filter): Filter => {
      if (leaf.kind === "all" || leaf.kind === "any" || leaf.kind === "not" || leaf.path.hops.length > 0) return leaf;
      const verdicts = objects.map((object) => [object.id, judge(leaf, object)] as const);
      if (verdicts.some(([, verdict]) => verdict === undefined)) return leaf;
      return {
        kind: "oneOf",
        path: { hops: [], leaf: "~ObjectID", type: "id" },
        values: verdicts.flatMap(([id, verdict]) => (verdict ? [id] : [])),
      };
    };
    return { ...query, filter: rewritten(query.filter, change) };
  };
  return () => (r) => ({
    objects: {
      find: async (query, visibility, page) => r.objects.find(await changed(r, query), visibility, page),
      count: async (query, visibility, atMost) => r.objects.count(await changed(r, query), visibility, atMost),
    },
  });
}

function valueOf(object: StoredObject, { path: { leaf } }: Leaf): JsonValue | undefined {
  return Object.getOwnPropertyDescriptor(object.attributes, leaf)?.value as JsonValue | undefined;
}

function finding(change: (find: Find, r: Repositories) => Find): () => Fault {
  return () => (r) => ({ objects: { find: change((...parts) => r.objects.find(...parts), r) } });
}

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

const byUnits = (one: JsonValue, other: JsonValue) => (String(one) < String(other) ? -1 : Number(one !== other));

/** Lets the filter or the order look through references with other eyes than the caller's. */
function blind(part: "filter" | "sort"): () => Fault {
  return finding((find, r) => async (query, visibility, page) => {
    const { objects } = await find({ classes: query.classes }, visibility, everything);
    const visible: Filter = {
      kind: "oneOf",
      path: { hops: [], leaf: "~ObjectID", type: "id" },
      values: objects.map(({ id }) => id),
    };
    if (part === "filter") {
      const filter: Filter = { kind: "all", filters: [visible, ...(query.filter === undefined ? [] : [query.filter])] };
      return find({ ...query, filter }, seesAll, page);
    }
    const matching = await r.objects.find(
      { classes: query.classes, ...(query.filter === undefined ? {} : { filter: query.filter }) },
      visibility,
      everything,
    );
    return find({ ...query, filter: { ...visible, values: matching.objects.map(({ id }) => id) } }, seesAll, page);
  });
}

const isAfter = (page: Page) => "after" in page;

/** Faults in queries. */
export const brokenQueries: readonly BrokenAdapter[] = [
  broken(
    "does not filter",
    ["tell texts apart", "take several conditions together"],
    asking(({ filter: _filter, ...query }) => query),
  ),
  broken("filters in lists only", "tell texts apart", () => (r) => ({
    objects: {
      count: ({ filter: _filter, ...query }, visibility, atMost) => r.objects.count(query, visibility, atMost),
    },
  })),
  broken("counts on", "stop counting where they are told to", () => (r) => ({
    objects: { count: (query, visibility) => r.objects.count(query, visibility) },
  })),
  broken("takes no objects at most for no bound", "stop counting where they are told to", () => (r) => ({
    objects: { count: (query, visibility, atMost) => r.objects.count(query, visibility, atMost || undefined) },
  })),

  broken(
    "takes null for missing",
    ["tell numbers apart", "know which collections are empty"],
    judging((leaf, object) => (leaf.kind === "present" ? (valueOf(object, leaf) ?? null) !== null : undefined)),
  ),
  broken(
    "takes missing for there",
    "tell numbers apart",
    judging((leaf) => (leaf.kind === "present" ? true : undefined)),
  ),
  broken(
    "takes only null for empty",
    "tell dates apart",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "date" ? valueOf(object, leaf) === null : undefined,
    ),
  ),
  broken(
    "takes an empty text for empty",
    "tell texts apart",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "string" ? !valueOf(object, leaf) : undefined,
    ),
  ),
  broken(
    "takes an empty collection for empty",
    "know which collections are empty",
    judging((leaf, object) => {
      const value = valueOf(object, leaf) ?? null;
      return leaf.kind === "empty" && leaf.path.type === "collection"
        ? value === null || (Array.isArray(value) && value.length === 0)
        : undefined;
    }),
  ),

  broken(
    "knows a third truth",
    ["take what is not true for false, also where a value is missing", "tell texts apart", "compare dates"],
    filtering((filter) => {
      if (filter.kind !== "not" || (filter.filter.kind !== "oneOf" && filter.filter.kind !== "compare")) return filter;
      return { kind: "all", filters: [filter, { kind: "not", filter: { kind: "empty", path: filter.filter.path } }] };
    }),
  ),
  broken(
    "forgets to negate",
    "take what is not true for false, also where a value is missing",
    filtering((filter) => (filter.kind === "not" ? filter.filter : filter)),
  ),
  broken(
    "takes no conditions for false",
    "take several conditions together",
    filtering((filter) =>
      filter.kind === "all" && filter.filters.length === 0 ? { kind: "any", filters: [] } : filter,
    ),
  ),
  broken(
    "takes no alternatives for true",
    "take one of several conditions",
    filtering((filter) =>
      filter.kind === "any" && filter.filters.length === 0 ? { kind: "all", filters: [] } : filter,
    ),
  ),
  broken(
    "takes all for any",
    "take several conditions together",
    filtering((filter) => (filter.kind === "all" && filter.filters.length > 1 ? { ...filter, kind: "any" } : filter)),
  ),
  broken(
    "looks at the first alternatives only",
    "take many conditions",
    filtering((filter) => (filter.kind === "any" ? { ...filter, filters: filter.filters.slice(0, 1) } : filter)),
  ),
  broken(
    "takes no values for all",
    "tell numbers apart",
    filtering((filter) =>
      filter.kind === "oneOf" && filter.values.length === 0 ? { kind: "all", filters: [] } : filter,
    ),
  ),
  broken(
    "looks for the first values only",
    "look for many values at once",
    filtering((filter) => (filter.kind === "oneOf" ? { ...filter, values: filter.values.slice(0, 500) } : filter)),
  ),

  broken(
    "compares texts in any case",
    "tell texts apart",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || typeof value !== "string")
        return leaf.kind === "oneOf" && leaf.path.type === "string" ? false : undefined;
      return leaf.values.some((each) => String(each).toLowerCase() === value.toLowerCase());
    }),
  ),
  broken(
    "composes texts before it compares them",
    "tell texts apart",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || leaf.path.type !== "string") return undefined;
      return typeof value === "string" && leaf.values.some((each) => String(each).normalize() === value.normalize());
    }),
  ),
  broken(
    "compares the start of long texts",
    ["tell long texts apart"],
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "oneOf" || leaf.path.type !== "string") return undefined;
      return (
        typeof value === "string" && leaf.values.some((each) => String(each).slice(0, 600) === value.slice(0, 600))
      );
    }),
  ),
  broken(
    "compares texts as a dictionary does",
    "compare texts by code points",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "string") return undefined;
      const order = typeof value === "string" ? value.localeCompare(String(leaf.value), "en") : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "compares texts by the units of UTF-16",
    "compare texts by code points",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "string") return undefined;
      const order = typeof value === "string" ? byUnits(value, leaf.value) : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "compares numbers as texts",
    "compare numbers",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "compare" || leaf.path.type !== "number") return undefined;
      const order = typeof value === "number" ? byUnits(String(value), String(leaf.value)) : Number.NaN;
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[leaf.operator];
    }),
  ),
  broken(
    "includes the bound",
    "compare numbers",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator === "gt" ? { ...filter, operator: "gte" } : filter,
    ),
  ),
  broken(
    "excludes the bound",
    "compare dates",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator === "lte" ? { ...filter, operator: "lt" } : filter,
    ),
  ),
  broken(
    "takes what is missing for less",
    "compare numbers",
    filtering((filter) =>
      filter.kind === "compare" && filter.operator.startsWith("lt")
        ? { kind: "any", filters: [filter, { kind: "empty", path: filter.path }] }
        : filter,
    ),
  ),
  broken(
    "compares ids as texts",
    "find objects by their ids, which are ordered by number",
    judging((leaf, { id }) =>
      leaf.kind === "compare" && leaf.path.type === "id"
        ? { gt: id > leaf.value, gte: id >= leaf.value, lt: id < leaf.value, lte: id <= leaf.value }[leaf.operator]
        : undefined,
    ),
  ),
  broken(
    "compares JSON as text",
    "tell JSON apart, but not by the order of members",
    judging((leaf, object) =>
      leaf.kind === "oneOf" && leaf.path.type === "json"
        ? leaf.values.some((each) => JSON.stringify(each) === JSON.stringify(valueOf(object, leaf)))
        : undefined,
    ),
  ),
  broken(
    "compares times by the second",
    "find objects by the time of their last write",
    filtering((filter) =>
      filter.kind === "compare" && filter.path.type === "time"
        ? { ...filter, value: Math.floor(Number(filter.value) / 10_000) * 10_000 }
        : filter,
    ),
  ),
  broken(
    "takes attributes for meta-fields",
    "tell meta-fields from attributes of the same name",
    judging((leaf, object) =>
      leaf.kind === "oneOf" && leaf.path.type === "class"
        ? leaf.values.includes(String(valueOf(object, leaf) ?? object.className))
        : undefined,
    ),
  ),

  broken(
    "takes patterns in any case",
    "find texts that are like a pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      if (leaf.kind !== "like" || /[\\_%]/.test(leaf.pattern)) return undefined;
      return typeof value === "string" && value.toLowerCase() === leaf.pattern.toLowerCase();
    }),
  ),
  broken(
    "does not know escapes in patterns",
    "find texts that are like a pattern",
    filtering((filter) =>
      filter.kind === "like" ? { ...filter, pattern: filter.pattern.replaceAll("\\", "\\\\") } : filter,
    ),
  ),
  broken(
    "lets a pattern end at a line",
    "find texts that are like a pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "like" && leaf.pattern === "%"
        ? typeof value === "string" && !value.includes("\n")
        : undefined;
    }),
  ),
  broken(
    "takes two units for two characters",
    "find texts that are like a pattern",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "like" && /^_+$/.test(leaf.pattern)
        ? typeof value === "string" && value.length === leaf.pattern.length
        : undefined;
    }),
  ),
  broken(
    "takes a pattern for a part",
    "find texts that are like a pattern",
    filtering((filter) => (filter.kind === "like" ? { ...filter, pattern: `%${filter.pattern}%` } : filter)),
  ),
  broken(
    "takes a part for a pattern",
    ["find texts that have a part", "take hostile texts for what they are"],
    filtering((filter) =>
      filter.kind === "contains" && filter.path.type === "string"
        ? { kind: "like", path: filter.path, pattern: `%${filter.value.replace(/\\$/, "\\\\")}%` }
        : filter,
    ),
  ),
  broken(
    "searches the start of long texts",
    "find long texts by what stands behind their start",
    judging((leaf, object) => {
      const value = valueOf(object, leaf);
      return leaf.kind === "contains" && leaf.path.type === "string"
        ? typeof value === "string" && value.slice(0, 600).includes(leaf.value)
        : undefined;
    }),
  ),
  broken(
    "finds members by a part of their ids",
    "find collections by their members",
    judging((leaf, object) =>
      leaf.kind === "contains" && leaf.path.type === "collection"
        ? JSON.stringify(valueOf(object, leaf) ?? null).includes(leaf.value)
        : undefined,
    ),
  ),

  broken(
    "follows one reference only",
    "follow several references",
    filtering((filter) =>
      "path" in filter
        ? ({ ...filter, path: { ...filter.path, hops: filter.path.hops.slice(0, 1) } } as Filter)
        : filter,
    ),
  ),
  broken(
    "follows references to whatever they lead to",
    "follow a reference to objects of its classes only",
    filtering((filter) =>
      "path" in filter
        ? ({
            ...filter,
            path: {
              ...filter.path,
              hops: filter.path.hops.map((hop) => ({ ...hop, classes: ["File", "Image", "User"] })),
            },
          } as Filter)
        : filter,
    ),
  ),
  broken(
    "takes a dangling reference for one",
    "take references that lead nowhere for empty",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "reference" ? (valueOf(object, leaf) ?? null) === null : undefined,
    ),
  ),
  broken(
    "takes a broken path for null",
    "take for missing what a reference does not lead to",
    filtering((filter) =>
      filter.kind === "present" && filter.path.hops.length > 0
        ? { kind: "any", filters: [filter, { kind: "empty", path: filter.path }] }
        : filter,
    ),
  ),
  broken(
    "loses what has a broken path",
    "take for missing what a reference does not lead to",
    filtering((filter) =>
      filter.kind === "empty" && filter.path.hops.length > 0
        ? { kind: "all", filters: [filter, { kind: "present", path: filter.path }] }
        : filter,
    ),
  ),

  broken("filters by what is not visible", "see through references what is visible, and no more", blind("filter")),
  broken(
    "orders by what is not visible",
    ["order by what is visible, and by nothing else", "tell positions of what is visible, and of nothing else"],
    blind("sort"),
  ),
  broken("counts by what is not visible", "see through references what is visible, and no more", () => (r) => ({
    objects: {
      count: async (query, visibility) => {
        const { objects } = await r.objects.find(query, seesAll, everything);
        return (
          await r.objects.outlines(
            objects.map(({ id }) => id),
            visibility,
          )
        ).length;
      },
    },
  })),
  broken(
    "sees what is behind a reference whatever it is",
    "take references to what is not visible for empty",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "reference" ? (valueOf(object, leaf) ?? null) === null : undefined,
    ),
  ),

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
