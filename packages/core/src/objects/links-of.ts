import type { AttributeDefinition } from "../model/class-definition.ts";
import type { Links } from "./links.ts";
import type { ObjectId } from "./object-id.ts";
import type { Attributes } from "./stored-object.ts";

/** The ids that attributes hold as references and members of collections; of the given definitions those that are set. */
export function linksOf(attributes: Attributes, definitions: readonly AttributeDefinition[]): Links {
  const set = definitions.filter(({ name }) => Object.hasOwn(attributes, name));
  return Object.fromEntries(set.map(({ name }) => [name, idsOf(attributes, name)]));
}

/** The ids that are the value of an attribute: one as a reference, any number as a collection. */
export function idsOf(attributes: Attributes, name: string): ObjectId[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}
