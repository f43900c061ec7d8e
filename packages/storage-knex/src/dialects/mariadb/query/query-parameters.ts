import { isObjectId, objectNumber, type Visibility } from "@sallyport/core";
import type { SqlValue } from "../../../sql-runner.ts";

/** Collects the values of a query text. */
export class QueryParameters {
  readonly values: SqlValue[] = [];

  /** Returns the placeholder. */
  add(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A condition on an object's readers, a JSON array of numbers: none, or at least one of the principals. */
export function readableCondition(o: string, { principals }: Visibility, parameters: QueryParameters): string {
  if (principals === null) return "true";
  const numbers = [...principals].filter(isObjectId).map(objectNumber);
  if (numbers.length === 0) return `${o}.readers is null`;
  return `(${o}.readers is null or ${o}.readers regexp ${parameters.add(`[[,](?:${numbers.join("|")})[\\],]`)})`;
}

/** A condition that an object or a tombstone is visible. */
export function visibleCondition(o: string, visibility: Visibility, parameters: QueryParameters): string {
  const readable = readableCondition(o, visibility, parameters);
  if (visibility.classes === null) return readable;
  if (visibility.classes.size === 0) return "false";
  const names = Array.from(visibility.classes, (name) => parameters.add(name));
  return `${o}.class in (${names.join(", ")}) and ${readable}`;
}
