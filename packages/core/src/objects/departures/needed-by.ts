import type { Model } from "../../model/index.ts";
import type { Referrer, Visibility } from "../../storage/index.ts";

/** By what the caller is told of attributes. */
export interface Knowledge {
  /** The model without the attributes that the caller may not read. */
  readonly known: Model;
  readonly visibility: Visibility;
}

/** Whether an error may name an attribute: others than administrators know it by their read rights on it and on its class, and none that is gone. */
export function isKnown(
  { className, attribute }: Pick<Referrer, "className" | "attribute">,
  { known, visibility: { classes, principals } }: Knowledge,
): boolean {
  if (principals === null) return true;
  return classes?.has(className) !== false && known.find(className)?.attributes.has(attribute) === true;
}

/** Says that an object is needed, and as what, if the caller may know. */
export function neededBy(referrer: Referrer, knowledge: Knowledge): string {
  return isKnown(referrer, knowledge)
    ? `An object of the class ${referrer.className} needs it as ${referrer.attribute}.`
    : "Another object needs it.";
}
