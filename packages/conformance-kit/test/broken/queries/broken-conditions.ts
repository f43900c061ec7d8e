import { type BrokenAdapter, broken } from "../broken-adapter.ts";
import { asking, filtering, judging, valueOf } from "./query-faults.ts";

/** Faults in conditions and in their combinations. */
export const brokenConditions: readonly BrokenAdapter[] = [
  broken(
    "ignores filters",
    ["distinguishes texts", "combines conditions with and"],
    asking(({ filter: _filter, ...query }) => query),
  ),
  broken("ignores filters in counts", "distinguishes texts", () => (r) => ({
    objects: {
      count: ({ filter: _filter, ...query }, visibility, atMost) => r.objects.count(query, visibility, atMost),
    },
  })),
  broken("ignores the limit of a count", "stops counting at the limit", () => (r) => ({
    objects: { count: (query, visibility) => r.objects.count(query, visibility) },
  })),
  broken("treats a count limit of zero as none", "stops counting at the limit", () => (r) => ({
    objects: { count: (query, visibility, atMost) => r.objects.count(query, visibility, atMost || undefined) },
  })),

  broken(
    "treats null as missing",
    ["distinguishes numbers", "distinguishes empty collections from others"],
    judging((leaf, object) => (leaf.kind === "present" ? (valueOf(object, leaf) ?? null) !== null : undefined)),
  ),
  broken(
    "treats missing values as present",
    "distinguishes numbers",
    judging((leaf) => (leaf.kind === "present" ? true : undefined)),
  ),
  broken(
    "treats only null as empty",
    "distinguishes dates",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "date" ? valueOf(object, leaf) === null : undefined,
    ),
  ),
  broken(
    "treats an empty text as empty",
    "distinguishes texts",
    judging((leaf, object) =>
      leaf.kind === "empty" && leaf.path.type === "string" ? !valueOf(object, leaf) : undefined,
    ),
  ),
  broken(
    "treats an empty collection as an empty value",
    "distinguishes empty collections from others",
    judging((leaf, object) => {
      const value = valueOf(object, leaf) ?? null;
      return leaf.kind === "empty" && leaf.path.type === "collection"
        ? value === null || (Array.isArray(value) && value.length === 0)
        : undefined;
    }),
  ),

  broken(
    "uses three-valued logic",
    ["negates conditions, also for missing values", "distinguishes texts", "compares dates"],
    filtering((filter) => {
      if (filter.kind !== "not" || (filter.filter.kind !== "oneOf" && filter.filter.kind !== "compare")) return filter;
      return { kind: "all", filters: [filter, { kind: "not", filter: { kind: "empty", path: filter.filter.path } }] };
    }),
  ),
  broken(
    "ignores negations",
    "negates conditions, also for missing values",
    filtering((filter) => (filter.kind === "not" ? filter.filter : filter)),
  ),
  broken(
    "treats an empty and as false",
    "combines conditions with and",
    filtering((filter) =>
      filter.kind === "all" && filter.filters.length === 0 ? { kind: "any", filters: [] } : filter,
    ),
  ),
  broken(
    "treats an empty or as true",
    "combines conditions with or",
    filtering((filter) =>
      filter.kind === "any" && filter.filters.length === 0 ? { kind: "all", filters: [] } : filter,
    ),
  ),
  broken(
    "evaluates and as or",
    "combines conditions with and",
    filtering((filter) => (filter.kind === "all" && filter.filters.length > 1 ? { ...filter, kind: "any" } : filter)),
  ),
  broken(
    "evaluates the first alternatives only",
    "evaluates many conditions",
    filtering((filter) => (filter.kind === "any" ? { ...filter, filters: filter.filters.slice(0, 1) } : filter)),
  ),
  broken(
    "matches all objects for no values",
    "distinguishes numbers",
    filtering((filter) =>
      filter.kind === "oneOf" && filter.values.length === 0 ? { kind: "all", filters: [] } : filter,
    ),
  ),
  broken(
    "compares with the first values only",
    "finds many values at once",
    filtering((filter) => (filter.kind === "oneOf" ? { ...filter, values: filter.values.slice(0, 500) } : filter)),
  ),
];
