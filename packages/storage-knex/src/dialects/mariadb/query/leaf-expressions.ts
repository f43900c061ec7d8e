import type { ValuePath } from "@sallyport/core";
import { textOf } from "../value-expression.ts";
import type { QueryScope } from "./query-scope.ts";

/**
 * The value at the end of a path as what is compared: what an index holds of it, and after it the whole of it where the
 * index may not hold all.
 */
export function leafExpressions(scope: QueryScope, o: string, { leaf, type }: ValuePath): readonly [string] | readonly [string, string] {
  switch (type) {
    case "id":
      return [`${o}.oid`];
    case "uuid":
      return [`${o}.uuid`];
    case "class":
      return [`${o}.class`];
    case "time":
      return [`${o}.stored_at`];
    case "string":
      return [scope.value(o, leaf, type), textOf(`${o}.attributes`, leaf)];
    default:
      return [scope.value(o, leaf, type)];
  }
}

/** The value as a whole. */
export function wholeExpression(scope: QueryScope, o: string, path: ValuePath): string {
  const [indexed, whole] = leafExpressions(scope, o, path);
  return whole ?? indexed;
}
