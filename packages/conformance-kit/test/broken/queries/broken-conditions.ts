import { type BrokenAdapter, broken } from "../broken-adapter.ts";
import { asking, filtering, judging, valueOf } from "./query-faults.ts";

/** Faults in what conditions mean, and in how they are taken together. */
export const brokenConditions: readonly BrokenAdapter[] = [
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
];
