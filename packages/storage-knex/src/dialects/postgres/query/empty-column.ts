import type { Filter, ValuePath } from "@sallyport/core";
import type { PostgresQueryScope } from "./postgres-query-scope.ts";

/**
 * What a list by number can be ordered by before it, because it is null in all that the filter is true of: then the
 * index that finds it has the list in its order. Otherwise the database would look through all objects by their numbers,
 * as it takes what has no value for more than there is.
 */
export function emptyColumn(filter: Filter | undefined, o: string, scope: PostgresQueryScope): string {
  const path = filter === undefined ? undefined : emptyPath(filter);
  return path === undefined ? "" : `${scope.leaf(o, path)[0]} nulls first, `;
}

function emptyPath(filter: Filter): ValuePath | undefined {
  if (filter.kind === "all") return filter.filters.flatMap((each) => emptyPath(each) ?? [])[0];
  const { path } = filter.kind === "empty" ? filter : {};
  return path?.indexed === true && path.hops.length === 0 && path.type !== "reference" && path.type !== "file"
    ? path
    : undefined;
}
