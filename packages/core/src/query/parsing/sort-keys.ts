import type { SortKey } from "../object-query.ts";
import { isOrdered } from "./comparison.ts";
import { fault, type Place } from "./fault.ts";
import { type PathSource, resolvePath } from "./resolve-path.ts";

const mostKeys = 10;

/** Reads what a list is to be sorted by: names, with a `-` before them where the order is turned round. */
export function sortKeys(value: unknown, place: Place, source: PathSource): SortKey[] {
  if (!Array.isArray(value)) throw fault(place, "An array of names is expected.");
  if (value.length > mostKeys) throw fault(place, `There are more than ${mostKeys} names to sort by.`);
  return value.flatMap((name: unknown, index) => {
    const at = [...place, index];
    if (typeof name !== "string") throw fault(at, "A name is expected.");
    const descending = name.startsWith("-");
    const path = resolvePath(descending ? name.slice(1) : name, at, source);
    // What is missing everywhere sorts nothing.
    if (path === null) return [];
    if (!isOrdered(path.type)) throw fault(at, "Values of this attribute have no order.");
    return [{ path, descending }];
  });
}
