import { type JsonValue, objectNumber, type ValueType } from "@sallyport/core";
import { isPossible } from "../../../query/query-scope.ts";
import { storedValue } from "../objects/stored-attributes.ts";
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
export function isAmong(
  parameters: QueryParameters,
  expression: string,
  type: ValueType,
  values: readonly JsonValue[],
): string {
  const possible = values.filter((value) => isPossible(type, value));
  if (possible.length === 0) return "false";
  return `${expression} in (${possible.map((value) => operand(parameters, type, value)).join(", ")})`;
}
