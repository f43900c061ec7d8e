import {
  type Filter,
  type JsonValue,
  type ObjectPage,
  type ObjectQuery,
  type Page,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import type { Fault } from "../broken-adapter.ts";

export type Leaf = Exclude<Filter, { kind: "all" | "any" | "not" }>;
export type Find = (query: ObjectQuery, visibility: Visibility, page: Page) => Promise<ObjectPage>;

export const everything = { offset: 0, limit: 100_000 };

/** A filter with replaced parts, the innermost first. */
function rewritten(filter: Filter, change: (filter: Filter) => Filter): Filter {
  if (filter.kind === "all" || filter.kind === "any")
    return change({ ...filter, filters: filter.filters.map((each) => rewritten(each, change)) });
  return change(filter.kind === "not" ? { kind: "not", filter: rewritten(filter.filter, change) } : filter);
}

/** Sends another query than the given one. */
export function asking(change: (query: ObjectQuery) => ObjectQuery): () => Fault {
  return () => (r) => ({
    objects: {
      find: (query, visibility, page) => r.objects.find(change(query), visibility, page),
      count: (query, visibility, atMost) => r.objects.count(change(query), visibility, atMost),
    },
  });
}

export function filtering(change: (filter: Filter) => Filter): () => Fault {
  return asking((query) =>
    query.filter === undefined ? query : { ...query, filter: rewritten(query.filter, change) },
  );
}

/** Evaluates conditions on the values of its own objects. `undefined` leaves a condition to the storage. */
export function judging(judge: (leaf: Leaf, object: StoredObject) => boolean | undefined): () => Fault {
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

export function valueOf(object: StoredObject, { path: { leaf } }: Leaf): JsonValue | undefined {
  return Object.getOwnPropertyDescriptor(object.attributes, leaf)?.value as JsonValue | undefined;
}

export function finding(change: (find: Find, r: Repositories) => Find): () => Fault {
  return () => (r) => ({ objects: { find: change((...parts) => r.objects.find(...parts), r) } });
}

export const byUnits = (one: JsonValue, other: JsonValue) => (String(one) < String(other) ? -1 : Number(one !== other));
