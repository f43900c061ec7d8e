import type {
  Comparison,
  Filter,
  JsonValue,
  Repositories,
  Scalar,
  SortKey,
  ValuePath,
  Visibility,
} from "@sallyport/storage";
import { equal } from "../../assert/index.ts";
import { namesOf } from "../../fixtures/query-fixtures.ts";

export const oneOf = (path: ValuePath, values: readonly JsonValue[]): Filter => ({ kind: "oneOf", path, values });
export const compare = (path: ValuePath, operator: Comparison, value: Scalar): Filter => ({
  kind: "compare",
  path,
  operator,
  value,
});
export const present = (path: ValuePath): Filter => ({ kind: "present", path });
export const empty = (path: ValuePath): Filter => ({ kind: "empty", path });
export const like = (path: ValuePath, pattern: string): Filter => ({ kind: "like", path, pattern });
export const contains = (path: ValuePath, value: string): Filter => ({ kind: "contains", path, value });
export const all = (...filters: readonly Filter[]): Filter => ({ kind: "all", filters });
export const any = (...filters: readonly Filter[]): Filter => ({ kind: "any", filters });

/** The path to an attribute or a meta-field of the object itself. */
export const ownPath = (leaf: string, type: ValuePath["type"]): ValuePath => ({ hops: [], leaf, type });

export const sorted = (path: ValuePath, descending: boolean): SortKey => ({ path, descending });
export const ascending = (path: ValuePath) => sorted(path, false);
export const descending = (path: ValuePath) => sorted(path, true);

export async function assertSorted(
  r: Repositories,
  sort: readonly SortKey[],
  names: readonly string[],
  { filter, visibility }: { readonly filter?: Filter; readonly visibility?: Visibility } = {},
): Promise<void> {
  const query = filter === undefined ? { sort } : { sort, filter };
  equal(await namesOf(r, query, visibility), names, `the names, sorted by ${JSON.stringify(sort)}`);
}
