import type { AttributeDefinition, ClassDefinition } from "../class-definition.ts";
import { canonicalAttribute } from "./canonical-attribute.ts";

/** Whether two definitions of an attribute say the same. */
export function isSameAttribute(one: AttributeDefinition, other: AttributeDefinition): boolean {
  return JSON.stringify(canonicalAttribute(one)) === JSON.stringify(canonicalAttribute(other));
}

/** Whether two definitions of a class say the same, in the same order; databases reorder the members of what they store. */
export function isSameClass(one: ClassDefinition, other: ClassDefinition): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ name, base, attributes, rights }: ClassDefinition): string {
  return JSON.stringify([
    name,
    base,
    attributes.map(canonicalAttribute),
    rights.map(({ group, permissions }) => [group, permissions]),
  ]);
}
