import {
  type AttributeDefinition,
  faultAt,
  isLink,
  isSingleLink,
  jsonPointer,
  type JsonValue,
} from "@sallyport/storage";
import type { ModelClass } from "../../model/index.ts";
import { plainRule, type PlainType } from "./plain-value.ts";
import { targetReference, type TargetReference, targetReferenceForms } from "./target-reference.ts";

/** Limit for one collection. */
export const maxCollectionElements = 10_000;

export type InputAttributes = Readonly<Record<string, JsonValue>>;

/** A given reference, file or collection with unresolved targets. */
export interface AcceptedLink {
  readonly attribute: AttributeDefinition;
  readonly targets: readonly { readonly reference: TargetReference; readonly pointer: string }[];
}

export interface AcceptedAttributes {
  /** In stored form. */
  readonly plain: ReadonlyMap<string, JsonValue>;
  readonly links: readonly AcceptedLink[];
  /** References, collections and files to set to null. */
  readonly emptied: readonly AttributeDefinition[];
}

/**
 * Validates given attributes against a class. 307 for an unknown attribute, a value of another type, or a mandatory
 * attribute set to null. Complete attributes have all mandatory ones. `~StoreTime` is ignored, since clients
 * send it back with an object; other meta-fields cannot be set.
 */
export function acceptAttributes(
  input: InputAttributes,
  modelClass: ModelClass,
  { isComplete }: { readonly isComplete: boolean },
): AcceptedAttributes {
  const plain = new Map<string, JsonValue>();
  const links: AcceptedLink[] = [];
  const emptied: AttributeDefinition[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (name === "~StoreTime") continue;
    const attribute = modelClass.attributes.get(name);
    if (attribute === undefined)
      throw faultAt(
        jsonPointer([name]),
        name.startsWith("~") ? "This meta-field cannot be set." : "There is no attribute with this name.",
      );
    if (value === null) {
      if (attribute.mandatory === true) throw faultAt(jsonPointer([name]), "The attribute is mandatory.");
      if (isLink(attribute.type)) emptied.push(attribute);
      else plain.set(name, null);
    } else if (isLink(attribute.type)) {
      links.push(acceptLink(attribute, value));
    } else {
      plain.set(name, acceptPlain(name, attribute.type, value));
    }
  }
  if (isComplete) requireMandatory(input, modelClass);
  return { plain, links, emptied };
}

/** 307 if a mandatory attribute is missing. */
export function requireMandatory(attributes: Readonly<Record<string, JsonValue>>, modelClass: ModelClass): void {
  for (const { name, mandatory } of modelClass.attributes.values()) {
    if (mandatory === true && !Object.hasOwn(attributes, name))
      throw faultAt(jsonPointer([name]), "The attribute is mandatory.");
  }
}

function acceptPlain(name: string, type: PlainType, value: JsonValue): JsonValue {
  const { accept, expected } = plainRule(type);
  const accepted = accept(value);
  if (accepted === undefined) throw faultAt(jsonPointer([name]), `${expected} is expected.`);
  return accepted;
}

function acceptLink(attribute: AttributeDefinition, value: JsonValue): AcceptedLink {
  const { name, type } = attribute;
  if (isSingleLink(type)) return { attribute, targets: [acceptTarget(value, [name])] };
  if (!Array.isArray(value)) throw faultAt(jsonPointer([name]), "An array of references is expected.");
  if (value.length > maxCollectionElements)
    throw faultAt(jsonPointer([name]), `A collection can have at most ${maxCollectionElements} elements.`);
  return {
    attribute,
    targets: (value as readonly JsonValue[]).map((element, index) => acceptTarget(element, [name, index])),
  };
}

function acceptTarget(value: JsonValue, path: readonly PropertyKey[]): AcceptedLink["targets"][number] {
  const reference = targetReference(value);
  const pointer = jsonPointer(path);
  if (reference === null) throw faultAt(pointer, `${targetReferenceForms} is expected.`);
  return { reference, pointer };
}
