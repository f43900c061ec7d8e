import type { JsonValue } from "../../objects/stored-object.ts";
import type { Filter } from "../filter.ts";
import type { ValuePath, ValueType } from "../value-path.ts";
import { never } from "./constant-filters.ts";
import { fault, type Place } from "./fault.ts";
import { operandOf } from "./operand.ts";

/** Characters of a pattern, and of a part that is looked for. */
const longest = 1_024;
/** Wildcards for any characters in a pattern, those in a row counted once: each multiplies the places where the rest may begin. */
const mostWildcards = 16;

/** The text is like a pattern. */
export function isLike(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return never;
  if (!isText(path.type)) throw fault(place, "Only texts can be like a pattern.");
  const pattern = textOf(operand, place);
  if (/^(?:[^\\]|\\[^])*\\$/.test(pattern)) throw fault(place, "The last character of the pattern escapes nothing.");
  if (wildcardsIn(pattern) > mostWildcards)
    throw fault(place, `A pattern has at most ${mostWildcards} of the wildcard %.`);
  return { kind: "like", path, pattern };
}

/** The text has a part, or the collection a member. */
export function contains(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return never;
  if (path.type === "collection")
    return { kind: "contains", path, value: operandOf("reference", operand, place) as string };
  if (!isText(path.type)) throw fault(place, "Only texts and collections contain something.");
  return { kind: "contains", path, value: textOf(operand, place) };
}

function textOf(operand: JsonValue, place: Place): string {
  const text = operandOf("string", operand, place) as string;
  if (text.length > longest)
    throw fault(place, `Texts are searched for at most ${longest.toLocaleString("en")} characters.`);
  return text;
}

function wildcardsIn(pattern: string): number {
  return pattern.replaceAll(/\\[^]/g, "x").match(/%+/g)?.length ?? 0;
}

function isText(type: ValueType): boolean {
  return type === "string" || type === "class";
}
