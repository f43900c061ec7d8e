import type { Visibility } from "@sallyport/core";
import type { QueryParameters } from "../query/query-parameters.ts";
import { readableCondition } from "./readers.ts";

/** A condition that an object, or what is left of one, is visible. */
export function visibleCondition(o: string, visibility: Visibility, parameters: QueryParameters): string {
  const readable = readableCondition(o, visibility, (value) => parameters.add(value));
  if (visibility.classes === null) return readable;
  if (visibility.classes.size === 0) return "false";
  const names = Array.from(visibility.classes, (name) => parameters.add(name));
  return `${o}.class in (${names.join(", ")}) and ${readable}`;
}
