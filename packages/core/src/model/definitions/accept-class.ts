import { builtInClasses } from "../built-in-classes.ts";
import type { AttributeDefinition, ClassDefinition, ClassRight } from "../class-definition.ts";
import { isClassName } from "../class-name.ts";
import type { Model } from "../model.ts";
import { acceptAttribute } from "./accept-attribute.ts";
import { definitionFault } from "./definition-fault.ts";
import type { GivenClass } from "./given-class.ts";

/** Checks the definition of a class by itself against the classes that there are; 307 for the first fault. */
export function acceptClass(
  name: string,
  { base, attributes }: GivenClass,
  rights: readonly ClassRight[],
  model: Model,
): ClassDefinition {
  if (!isClassName(name)) {
    throw definitionFault(
      "/",
      "the name of a class is a letter, then letters, digits and _, at most 63 in all and one of them in lower case.",
    );
  }
  const isClass = (text: string) => text === name || model.find(text) !== undefined;
  const names = new Set<string>();
  const accepted = attributes.map((given, index) => {
    const attribute = acceptAttribute(given, `/attributes/${index}`, isClass);
    if (names.has(attribute.name))
      throw definitionFault(`/attributes/${index}/name`, "another attribute has this name.");
    names.add(attribute.name);
    return attribute;
  });
  acceptBase(name, base, model);
  acceptBuiltIn(name, base, accepted);
  return { name, base, attributes: accepted, rights };
}

function acceptBase(name: string, base: string | null, model: Model): void {
  if (base === null) return;
  if (base !== name && model.find(base) === undefined) throw definitionFault("/base", "there is no such class.");
  if (base === name || model.find(name)?.family.includes(base))
    throw definitionFault("/base", "a class cannot inherit from itself.");
}

/** What is built in can be added to; how its own attributes are indexed and deleted is everybody's to say. */
function acceptBuiltIn(name: string, base: string | null, attributes: readonly AttributeDefinition[]): void {
  const builtIn = builtInClasses.find((each) => each.name === name);
  if (builtIn === undefined) return;
  if (base !== builtIn.base) throw definitionFault("/base", "the base of a built-in class cannot be changed.");
  const given = new Map(attributes.map((attribute, index) => [attribute.name, { attribute, index }]));
  for (const { name: attributeName, type, target, mandatory } of builtIn.attributes) {
    const kept = given.get(attributeName);
    if (kept === undefined)
      throw definitionFault("/attributes", `the built-in attribute ${attributeName} cannot be removed.`);
    const { attribute, index } = kept;
    if (attribute.type !== type || attribute.target !== target || attribute.mandatory !== mandatory) {
      throw definitionFault(
        `/attributes/${index}`,
        "a built-in attribute keeps its type, its target and whether it is mandatory.",
      );
    }
  }
}
