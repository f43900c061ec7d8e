import type { JsonValue } from "../../objects/stored-object.ts";
import type { Filter } from "../filter.ts";
import type { ValuePath, ValueType } from "../value-path.ts";
import { never } from "./constant-filters.ts";
import { fault, type Place } from "./fault.ts";
import { operandOf } from "./operand.ts";

/** The text is like a pattern. */
export function isLike(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return never;
  if (!isText(path.type)) throw fault(place, "Only texts can be like a pattern.");
  const pattern = operandOf("string", operand, place) as string;
  if (/^(?:[^\\]|\\[^])*\\$/.test(pattern)) throw fault(place, "The last character of the pattern escapes nothing.");
  return { kind: "like", path, pattern };
}

/** The text has a part, or the collection a member. */
export function contains(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return never;
  if (path.type === "collection") return { kind: "contains", path, value: operandOf("reference", operand, place) as string };
  if (!isText(path.type)) throw fault(place, "Only texts and collections contain something.");
  return { kind: "contains", path, value: operandOf("string", operand, place) as string };
}

function isText(type: ValueType): boolean {
  return type === "string" || type === "class";
}
