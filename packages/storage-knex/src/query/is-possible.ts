import { isObjectId, isUuid, type JsonValue, type ValueType } from "@sallyport/core";

/** Whether anything can have the value: a database would refuse to look for another. */
export function isPossible(type: ValueType, value: JsonValue): boolean {
  if (type === "id" || type === "reference" || type === "file") return typeof value === "string" && isObjectId(value);
  return type !== "uuid" || (typeof value === "string" && isUuid(value));
}
