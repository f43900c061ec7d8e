import type { Filter } from "../filter.ts";
import type { SortKey } from "../object-query.ts";

/**
 * How many references are followed for one object to tell whether the filter is true of it and where it stands. Each is a
 * look-up of its own, and by far the most that a condition can cost.
 */
export function followedReferences(filter: Filter, sort: readonly SortKey[]): number {
  return sort.reduce((sum, { path }) => sum + path.hops.length, inFilter(filter));
}

function inFilter(filter: Filter): number {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.filters.reduce((sum, each) => sum + inFilter(each), 0);
    case "not":
      return inFilter(filter.filter);
    case "empty":
      // Whether a link leads to something shows behind it.
      return filter.path.hops.length + (filter.path.type === "reference" || filter.path.type === "file" ? 1 : 0);
    default:
      return filter.path.hops.length;
  }
}
