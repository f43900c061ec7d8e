import type { Model } from "../model/model.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Visibility } from "../rights/visibility.ts";

/** A live object one of whose attributes points to another object. */
export interface Referrer {
  readonly id: ObjectId;
  readonly className: string;
  /** Name of a reference or a collection. */
  readonly attribute: string;
  readonly target: ObjectId;
}

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
