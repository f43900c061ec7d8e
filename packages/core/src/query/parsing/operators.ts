import type { JsonValue } from "../../objects/stored-object.ts";
import type { Filter } from "../filter.ts";
import type { ValuePath } from "../value-path.ts";
import { compares } from "./comparison.ts";
import { never } from "./constant-filters.ts";
import { equals, isIn } from "./equality.ts";
import { fault, type Place } from "./fault.ts";
import { contains, isLike } from "./text-search.ts";

/** Makes a filter of the operand of an operator. At a path that is `null` every value is missing. */
export type Operator = (path: ValuePath | null, operand: JsonValue, place: Place) => Filter;

/** What can be asked of a value, by the name that clients give it. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["$eq", equals],
  ["$ne", (...parts) => ({ kind: "not", filter: equals(...parts) })],
  ["$gt", (...parts) => compares("gt", ...parts)],
  ["$gte", (...parts) => compares("gte", ...parts)],
  ["$lt", (...parts) => compares("lt", ...parts)],
  ["$lte", (...parts) => compares("lte", ...parts)],
  ["$in", isIn],
  ["$nin", (...parts) => ({ kind: "not", filter: isIn(...parts) })],
  ["$like", isLike],
  ["$contains", contains],
  ["$exists", exists],
]);

function exists(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (typeof operand !== "boolean") throw fault(place, "true or false is expected.");
  const filter: Filter = path === null ? never : { kind: "present", path };
  return operand ? filter : { kind: "not", filter };
}
