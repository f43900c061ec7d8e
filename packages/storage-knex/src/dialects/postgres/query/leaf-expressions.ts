import type { ValuePath } from "@sallyport/core";
import { indexExpression, textOf } from "../index-expression.ts";
import { epochMilliseconds } from "../statements/storage-time.ts";
import type { Tables } from "../tables.ts";

/**
 * The value at the end of a path as what is compared: what an index holds of it, and after it the whole of it where the
 * index may not hold all.
 */
export function leafExpressions(tables: Tables, o: string, { leaf, type }: ValuePath): readonly [string] | readonly [string, string] {
  switch (type) {
    case "id":
      return [`${o}.oid`];
    case "uuid":
      return [`${o}.uuid`];
    case "class":
      return [`${o}.class`];
    case "time":
      return [epochMilliseconds(`${o}.stored_at`)];
    case "string":
      return [indexExpression(tables, `${o}.attributes`, leaf, type), `${textOf(`${o}.attributes`, leaf)} collate "C"`];
    default:
      return [indexExpression(tables, `${o}.attributes`, leaf, type)];
  }
}

/** The value as a whole. */
export function wholeExpression(tables: Tables, o: string, path: ValuePath): string {
  const [indexed, whole] = leafExpressions(tables, o, path);
  return whole ?? indexed;
}
