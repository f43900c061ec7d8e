import { isObjectId, isUuid, type JsonValue, objectNumber, type ValueType } from "@sallyport/core";
import { storedValue } from "../objects/stored-attributes.ts";
import { indexedCharacters } from "../value-expression.ts";
import type { QueryParameters } from "./query-parameters.ts";

/** A value to compare those of a path with. */
export function operand(parameters: QueryParameters, type: ValueType, value: JsonValue): string {
  switch (type) {
    case "number":
      return `cast(${parameters.add(String(value))} as double)`;
    case "json":
    case "collection":
      return `concat(json_extract(${parameters.add(JSON.stringify([storedValue(value)]))}, '$[0]'))`;
    case "boolean":
    case "time":
      return parameters.add(Number(value));
    case "id":
    case "reference":
    case "file":
      return parameters.add(objectNumber(String(value)));
    default:
      return parameters.add(String(value));
  }
}

/** A condition on what is compared: that it is one of the values. */
export function isAmong(parameters: QueryParameters, expression: string, type: ValueType, values: readonly JsonValue[]): string {
  const possible = values.filter((value) => isPossible(type, value));
  if (possible.length === 0) return "false";
  return `${expression} in (${possible.map((value) => operand(parameters, type, value)).join(", ")})`;
}

/** The start of a text, as much as an index of strings holds. */
export function indexedPart(text: string): string {
  // A character is one or two units.
  return text.length <= indexedCharacters ? text : Array.from(text.slice(0, 2 * indexedCharacters)).slice(0, indexedCharacters).join("");
}

/** Whether what an index holds is enough to compare with this text. */
export function isShort(text: string): boolean {
  return text.length < indexedCharacters || (text.length < 2 * indexedCharacters && [...text].length < indexedCharacters);
}

/** Whether anything can have the value. */
function isPossible(type: ValueType, value: JsonValue): boolean {
  if (type === "id" || type === "reference" || type === "file") return typeof value === "string" && isObjectId(value);
  return type !== "uuid" || (typeof value === "string" && isUuid(value));
}
