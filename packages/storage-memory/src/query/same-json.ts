import type { JsonValue } from "@sallyport/core";

/** Whether two JSON values are the same: members in whatever order, elements in theirs. */
export function sameJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((element: JsonValue, index) => sameJson(element, other[index] as JsonValue));
  }
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (members.size !== others.size) return false;
  return [...members].every(([name, member]) => others.has(name) && sameJson(member, others.get(name) as JsonValue));
}
