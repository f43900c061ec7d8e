import { isSingleLink } from "../../entities/class-definition.ts";
import type { Comparison, Filter, ValuePath } from "../../entities/object-query.ts";
import type { JsonValue, StoredObject } from "../../entities/stored-object.ts";
import { compareValues, sameJson } from "./compare.ts";
import { like } from "./like.ts";
import { targetOf, valueAt, type View } from "./value-at.ts";

/** Compiles a filter to a predicate. */
export function matcher(filter: Filter, view: View): (object: StoredObject) => boolean {
  switch (filter.kind) {
    case "all": {
      const parts = filter.filters.map((part) => matcher(part, view));
      return (object) => parts.every((part) => part(object));
    }
    case "any": {
      const parts = filter.filters.map((part) => matcher(part, view));
      return (object) => parts.some((part) => part(object));
    }
    case "not": {
      const negated = matcher(filter.filter, view);
      return (object) => !negated(object);
    }
    case "present":
      return (object) => valueAt(object, filter.path, view) !== undefined;
    case "empty":
      return (object) => isEmpty(valueAt(object, filter.path, view), filter.path, view);
    case "oneOf": {
      const isOneOf = among(filter.path, filter.values);
      return withValue(filter.path, view, isOneOf);
    }
    case "compare": {
      const { path, operator, value } = filter;
      return withValue(path, view, (actual) => sides[operator](compareValues(path.type, actual, value)));
    }
    case "like": {
      const isLike = like(filter.pattern);
      return withValue(filter.path, view, (actual) => typeof actual === "string" && isLike(actual));
    }
    case "contains": {
      const { value } = filter;
      return withValue(
        filter.path,
        view,
        (actual) => (Array.isArray(actual) || typeof actual === "string") && actual.includes(value),
      );
    }
  }
}

const sides: Readonly<Record<Comparison, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

/** False for objects without a value, otherwise the result of the check. */
function withValue(
  path: ValuePath,
  view: View,
  check: (value: JsonValue) => boolean,
): (object: StoredObject) => boolean {
  return (object) => {
    const value = valueAt(object, path, view);
    return value !== undefined && value !== null && check(value);
  };
}

function isEmpty(value: JsonValue | undefined, { type }: ValuePath, view: View): boolean {
  if (value === undefined || value === null) return true;
  return isSingleLink(type) && targetOf(value, view) === undefined;
}

function among({ type }: ValuePath, values: readonly JsonValue[]): (value: JsonValue) => boolean {
  if (type === "json") return (actual) => values.some((value) => sameJson(actual, value));
  const expected = new Set(values);
  return (actual) => expected.has(actual);
}
