import {
  type AttributeDefinition,
  type AttributeType,
  builtInClasses,
  type ClassDefinition,
  type ClassRight,
  isAttributeName,
  isClassName,
  isIndexable,
  isLink,
} from "@sallyport/storage";
import { DefinitionFault, type AttributeRequest, type ClassRequest } from "./class-request.ts";
import type { Model } from "./model.ts";

/** Validates a class definition against the existing classes. 307 for the first fault. */
export function acceptClass(
  name: string,
  { base, title, attributes }: ClassRequest,
  rights: readonly ClassRight[],
  model: Model,
): ClassDefinition {
  if (!isClassName(name)) {
    throw new DefinitionFault(
      "/",
      "A class name must be a letter, then letters, digits and _, at most 63 in all, with at least one lowercase letter.",
    );
  }
  const isClass = (text: string) => text === name || model.find(text) !== undefined;
  const names = new Set<string>();
  const accepted = attributes.map((request, index) => {
    const attribute = acceptAttribute(request, `/attributes/${index}`, isClass);
    if (names.has(attribute.name))
      throw new DefinitionFault(`/attributes/${index}/name`, "Another attribute has this name.");
    names.add(attribute.name);
    return attribute;
  });
  acceptBase(name, base, model);
  acceptBuiltIn({ name, base }, accepted, model);
  return { name, base, ...(title === undefined ? {} : { title }), attributes: accepted, rights };
}

function acceptBase(name: string, base: string | null, model: Model): void {
  if (base === null) return;
  if (base !== name && model.find(base) === undefined)
    throw new DefinitionFault("/base", "There is no class with this name.");
  if (base === name || model.find(name)?.subtree.includes(base))
    throw new DefinitionFault("/base", "A class cannot inherit from itself.");
}

/**
 * Built-in classes accept further attributes. Index and delete rule of built-in attributes may change. The class of a
 * database from an older release may lack some.
 */
function acceptBuiltIn(
  { name, base }: Pick<ClassDefinition, "name" | "base">,
  attributes: readonly AttributeDefinition[],
  model: Model,
): void {
  const builtIn = builtInClasses.find((each) => each.name === name);
  if (builtIn === undefined) return;
  if (base !== builtIn.base) throw new DefinitionFault("/base", "The base of a built-in class cannot be changed.");
  const byName = new Map(attributes.map((attribute, index) => [attribute.name, { attribute, index }]));
  for (const { name: attributeName, type, target, mandatory } of builtIn.attributes) {
    const entry = byName.get(attributeName);
    if (entry === undefined && model.find(name)?.attributes.has(attributeName) === false) continue;
    if (entry === undefined)
      throw new DefinitionFault("/attributes", `The built-in attribute ${attributeName} cannot be removed.`);
    const { attribute, index } = entry;
    if (attribute.type !== type || attribute.target !== target || attribute.mandatory !== mandatory) {
      throw new DefinitionFault(
        `/attributes/${index}`,
        "The members type, target and mandatory of a built-in attribute cannot be changed.",
      );
    }
  }
}

const targetedTypes: ReadonlySet<AttributeType> = new Set(["reference", "collection"]);
/** Request bodies must not contain members with these names. */
const forbiddenNames: ReadonlySet<string> = new Set(["constructor", "prototype"]);

/** Validates one attribute and returns its stored form. */
function acceptAttribute(
  request: AttributeRequest,
  pointer: string,
  isClass: (name: string) => boolean,
): AttributeDefinition {
  const { name, type, target, mandatory, indexed, onDelete, read } = request;
  if (!isAttributeName(name) || forbiddenNames.has(name)) {
    throw new DefinitionFault(
      `${pointer}/name`,
      "An attribute name must be a letter, then letters, digits and _, at most 63 in all. The names constructor and prototype are reserved.",
    );
  }
  if (targetedTypes.has(type)) {
    if (target === undefined)
      throw new DefinitionFault(`${pointer}/target`, `An attribute of type ${type} requires a target.`);
    if (!isClass(target)) throw new DefinitionFault(`${pointer}/target`, "There is no class with this name.");
  } else if (target !== undefined) {
    throw new DefinitionFault(`${pointer}/target`, `An attribute of type ${type} cannot have a target.`);
  }
  if (indexed === true && !isIndexable(type))
    throw new DefinitionFault(`${pointer}/indexed`, `An attribute of type ${type} cannot be indexed.`);
  if (onDelete !== undefined) {
    if (!isLink(type))
      throw new DefinitionFault(`${pointer}/onDelete`, `An attribute of type ${type} cannot have a delete rule.`);
    if (onDelete === "clear" && mandatory === true && type !== "collection") {
      throw new DefinitionFault(`${pointer}/onDelete`, "A mandatory attribute cannot have the delete rule clear.");
    }
  }
  if (read !== undefined && mandatory === true) {
    throw new DefinitionFault(`${pointer}/read`, "A mandatory attribute cannot have read rights.");
  }
  return canonical(request);
}

/** The stored form of a definition, without default values. */
function canonical({ name, type, target, mandatory, indexed, onDelete, read }: AttributeRequest): AttributeDefinition {
  return {
    name,
    type,
    ...(target === undefined ? {} : { target }),
    ...(mandatory === true ? { mandatory } : {}),
    ...(indexed === true ? { indexed } : {}),
    ...(onDelete === undefined ? {} : { onDelete }),
    ...(read === undefined ? {} : { read: [...read] }),
  };
}

export function isSameAttribute(one: AttributeDefinition, other: AttributeDefinition): boolean {
  return JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
}

/** Whether two definitions are equal, including the order. Databases may reorder stored members. */
export function isSameClass(one: ClassDefinition, other: ClassDefinition): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ name, base, title, attributes, rights }: ClassDefinition): string {
  return JSON.stringify([
    name,
    base,
    title,
    attributes.map(canonical),
    rights.map(({ group, permissions }) => [group, permissions]),
  ]);
}
