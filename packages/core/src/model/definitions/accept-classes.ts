import type { ObjectRepository } from "../../objects/object-repository.ts";
import type { ClassDefinition } from "../class-definition.ts";
import { Model } from "../model.ts";
import type { StoredModel } from "../model-repository.ts";
import { acceptClass } from "./accept-class.ts";
import { acceptLines } from "./accept-lines.ts";
import { acceptRights } from "./accept-rights.ts";
import { DefinitionFault, definitionFault } from "./definition-fault.ts";
import { definitionLimits } from "./definition-limits.ts";
import type { GivenClass } from "./given-class.ts";

/** A class that is to be created, or replaced whole. */
export interface NamedClass {
  readonly name: string;
  readonly definition: GivenClass;
  /** JSON pointer to the definition in what was given; faults begin with it. */
  readonly pointer: string;
}

export interface AcceptedClasses {
  readonly definitions: readonly ClassDefinition[];
  /** The model with them. */
  readonly after: Model;
}

/** Checks the definitions of classes, which may point to each other and inherit from each other; 307 for the first fault. */
export async function acceptClasses(
  given: readonly NamedClass[],
  stored: StoredModel,
  objects: Pick<ObjectRepository, "get" | "getByUuid">,
): Promise<AcceptedClasses> {
  const before = new Model(stored);
  const classes = new Map(stored.classes.map((each) => [each.name, each]));
  const generation = stored.generation + 1;
  const modelNow = () => new Model({ generation, classes: [...classes.values()] });
  // There are classes that follow, too.
  for (const { name } of given)
    if (!classes.has(name)) classes.set(name, { name, base: null, attributes: [], rights: [] });
  const definitions: ClassDefinition[] = [];
  for (const { name, definition, pointer } of given) {
    await at(pointer, async () => {
      if (before.find(name) === undefined && classes.size > definitionLimits.classes)
        throw definitionFault("/", `there would be more than ${definitionLimits.classes} classes.`);
      const { rights, attributes } = await acceptRights(definition, before.find(name)?.definition, before, objects);
      const accepted = acceptClass(name, { ...definition, attributes }, rights, modelNow());
      classes.set(name, accepted);
      definitions.push(accepted);
    });
  }
  const after = modelNow();
  for (const [index, definition] of definitions.entries())
    await at(given[index]?.pointer ?? "", () => acceptLines(definition, after));
  return { definitions, after };
}

/** Does the work; a fault of it begins with the pointer. */
async function at(pointer: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof DefinitionFault ? new DefinitionFault(pointer + error.pointer, error.reason) : error;
  }
}
