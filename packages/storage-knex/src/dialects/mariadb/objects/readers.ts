import { isObjectId, objectNumber, type Visibility } from "@sallyport/core";
import type { SqlValue } from "../../../sql-runner.ts";

/**
 * A condition on the readers of an object, which are a JSON array of numbers: that it has none or that one of them is among
 * the principals. `add` takes a value and gives its place.
 */
export function readableCondition(
  o: string,
  { principals }: Pick<Visibility, "principals">,
  add: (value: SqlValue) => string,
): string {
  if (principals === null) return "true";
  const numbers = [...principals].filter(isObjectId).map(objectNumber);
  if (numbers.length === 0) return `${o}.readers is null`;
  return `(${o}.readers is null or ${o}.readers regexp ${add(`[[,](?:${numbers.join("|")})[\\],]`)})`;
}
