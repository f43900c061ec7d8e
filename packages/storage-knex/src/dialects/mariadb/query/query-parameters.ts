import { isObjectId, objectNumber, type Visibility } from "@sallyport/core";
import type { SqlValue } from "../../../sql-runner.ts";

/** Collects the values of a text that is being put together. */
export class QueryParameters {
  readonly values: SqlValue[] = [];

  /** Its place in the text. */
  add(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * A condition on the readers of an object, which are a JSON array of numbers: that it has none or that one of them is among
 * the principals.
 */
export function readableCondition(o: string, { principals }: Visibility, parameters: QueryParameters): string {
  if (principals === null) return "true";
  const numbers = [...principals].filter(isObjectId).map(objectNumber);
  if (numbers.length === 0) return `${o}.readers is null`;
  return `(${o}.readers is null or ${o}.readers regexp ${parameters.add(`[[,](?:${numbers.join("|")})[\\],]`)})`;
}

/** A condition that an object, or what is left of one, is visible. */
export function visibleCondition(o: string, visibility: Visibility, parameters: QueryParameters): string {
  const readable = readableCondition(o, visibility, parameters);
  if (visibility.classes === null) return readable;
  if (visibility.classes.size === 0) return "false";
  const names = Array.from(visibility.classes, (name) => parameters.add(name));
  return `${o}.class in (${names.join(", ")}) and ${readable}`;
}
