import { objectNumber, type ValueType } from "@sallyport/core";
import { compareText } from "./compare-text.ts";

/** The order of two values at paths of this type; neither is null. */
export function compareValues(type: ValueType, one: unknown, other: unknown): number {
  if (type === "id") return objectNumber(String(one)) - objectNumber(String(other));
  if (typeof one === "string" && typeof other === "string") return compareText(one, other);
  return Number(one) - Number(other);
}
