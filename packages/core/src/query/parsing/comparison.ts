import type { JsonValue } from "../../objects/stored-object.ts";
import type { Comparison, Filter, Scalar } from "../filter.ts";
import type { ValuePath, ValueType } from "../value-path.ts";
import { never } from "./constant-filters.ts";
import { timeOperand } from "./equality.ts";
import { fault, type Place } from "./fault.ts";
import { type OperandType, operandOf } from "./operand.ts";

const unordered: ReadonlySet<ValueType> = new Set(["json", "reference", "file", "collection"]);

/** Whether values of the type have an order. */
export function isOrdered(type: ValueType): type is Exclude<ValueType, "json" | "reference" | "file" | "collection"> {
  return !unordered.has(type);
}

/** The value stands on this side of the operand. */
export function compares(operator: Comparison, path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return never;
  const { type } = path;
  if (!isOrdered(type)) throw fault(place, "Values of this attribute have no order.");
  if (type === "time") return comparesTime(operator, path, operand, place);
  return { kind: "compare", path, operator, value: operandOf(type satisfies OperandType, operand, place) as Scalar };
}

/** Later than a second is what comes after the whole of it. */
function comparesTime(operator: Comparison, path: ValuePath, operand: JsonValue, place: Place): Filter {
  const { from, to } = timeOperand(operand, place);
  const value = operator === "gt" || operator === "lte" ? to : from;
  return { kind: "compare", path, operator: operator === "gt" || operator === "gte" ? "gte" : "lt", value };
}
