import { isAttributeName } from "../attribute-name.ts";
import type { AttributeDefinition, AttributeType } from "../class-definition.ts";
import { isIndexable } from "../is-indexable.ts";
import { canonicalAttribute } from "./canonical-attribute.ts";
import { definitionFault } from "./definition-fault.ts";
import type { GivenAttribute } from "./given-class.ts";

const targetedTypes: ReadonlySet<AttributeType> = new Set(["reference", "collection"]);
const linkTypes: ReadonlySet<AttributeType> = new Set(["reference", "collection", "file"]);
/** No JSON that a client sends may have members of these names. */
const forbiddenNames: ReadonlySet<string> = new Set(["constructor", "prototype"]);

/** Checks one attribute by itself, and gives the form in which it is stored. */
export function acceptAttribute(
  given: GivenAttribute,
  pointer: string,
  isClass: (name: string) => boolean,
): AttributeDefinition {
  const { name, type, target, mandatory, indexed, onDelete, read } = given;
  if (!isAttributeName(name) || forbiddenNames.has(name)) {
    throw definitionFault(
      `${pointer}/name`,
      "a name is a letter, then letters, digits and _, at most 63 in all, and neither constructor nor prototype.",
    );
  }
  if (targetedTypes.has(type)) {
    if (target === undefined)
      throw definitionFault(`${pointer}/target`, `a ${type} needs the class that it points to.`);
    if (!isClass(target)) throw definitionFault(`${pointer}/target`, "there is no such class.");
  } else if (target !== undefined) {
    throw definitionFault(`${pointer}/target`, `a ${type} has no target.`);
  }
  if (indexed === true && !isIndexable(type))
    throw definitionFault(`${pointer}/indexed`, `a ${type} cannot be indexed.`);
  if (onDelete !== undefined) {
    if (!linkTypes.has(type))
      throw definitionFault(`${pointer}/onDelete`, `a ${type} points to nothing that could be deleted.`);
    if (onDelete === "clear" && mandatory === true && type !== "collection") {
      throw definitionFault(`${pointer}/onDelete`, "what is mandatory cannot be cleared.");
    }
  }
  if (read !== undefined && mandatory === true) {
    throw definitionFault(`${pointer}/read`, "a mandatory attribute cannot have read rights.");
  }
  return canonicalAttribute(given);
}
