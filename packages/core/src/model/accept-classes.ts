import {
  type AttributeDefinition,
  builtInClasses,
  type ClassDefinition,
  type ObjectRepository,
} from "@sallyport/storage";
import { acceptClass, isSameAttribute } from "./accept-class.ts";
import { acceptRights } from "./accept-rights.ts";
import { DefinitionFault, definitionLimits, type ClassRequest } from "./class-request.ts";
import { Model, declaredIndexes } from "./model.ts";
import { titleAttributes } from "./title-path.ts";

export interface NamedClass {
  readonly name: string;
  readonly definition: ClassRequest;
  /** JSON pointer to the definition in the request; prefix of its faults. */
  readonly pointer: string;
}

interface AcceptedClasses {
  readonly definitions: readonly ClassDefinition[];
  readonly after: Model;
}

/** Validates class definitions, which may reference and inherit from each other. 307 for the first fault. */
export async function acceptClasses(
  input: readonly NamedClass[],
  before: Model,
  objects: Pick<ObjectRepository, "get">,
): Promise<AcceptedClasses> {
  const classes = new Map(Array.from(before.all(), ({ definition }) => [definition.name, definition]));
  const generation = before.generation + 1;
  const modelNow = () => new Model({ generation, classes: [...classes.values()] });
  // A class may reference a later one.
  for (const { name } of input)
    if (!classes.has(name)) classes.set(name, { name, base: null, attributes: [], rights: [] });
  const definitions: ClassDefinition[] = [];
  for (const { name, definition, pointer } of input) {
    await at(pointer, async () => {
      if (before.find(name) === undefined && classes.size > definitionLimits.classes)
        throw new DefinitionFault("/", `A model can have at most ${definitionLimits.classes} classes.`);
      const { rights, attributes } = await acceptRights(definition, before.find(name)?.definition, before, objects);
      const accepted = acceptClass(name, { ...definition, attributes }, rights, modelNow());
      classes.set(name, accepted);
      definitions.push(accepted);
    });
  }
  const after = modelNow();
  for (const [index, definition] of definitions.entries())
    await at(input[index]?.pointer ?? "", () => acceptInheritanceChains(definition, after));
  for (const { definition } of after.all()) {
    const own = input.find(({ name }) => name === definition.name);
    await at((own ?? input[0])?.pointer ?? "", () => acceptTitle(definition, after, own !== undefined));
  }
  return { definitions, after };
}

/** Runs the work and prefixes its faults with the pointer. */
async function at(pointer: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DefinitionFault) || pointer === "") throw error;
    throw new DefinitionFault(error.pointer === "/" ? pointer : pointer + error.pointer, error.reason);
  }
}

/** An attribute has one definition in an inheritance chain. `after`: the model with the new class. */
function acceptInheritanceChains({ name, attributes }: ClassDefinition, after: Model): void {
  const own = new Map(attributes.map((attribute, index) => [attribute.name, index]));
  const pointerTo = (attribute: string) => (own.has(attribute) ? `/attributes/${own.get(attribute)}/name` : "/base");
  for (const member of after.find(name)?.subtree ?? []) {
    const chain = after.inheritanceChain(member);
    if (chain.length > definitionLimits.depth)
      throw new DefinitionFault(
        "/base",
        `The inheritance chain of ${member} would have more than ${definitionLimits.depth} classes.`,
      );
    const declared = new Map<string, { attribute: AttributeDefinition; by: string }>();
    for (const each of chain) {
      for (const attribute of each.attributes) {
        const other = declared.get(attribute.name);
        if (other === undefined) declared.set(attribute.name, { attribute, by: each.name });
        else if (!isSameAttribute(attribute, other.attribute)) {
          throw new DefinitionFault(
            pointerTo(attribute.name),
            `${other.by} and ${each.name} have conflicting definitions of ${attribute.name}.`,
          );
        }
      }
    }
    if (declared.size > definitionLimits.attributes) {
      throw new DefinitionFault(
        "/attributes",
        `The class ${member} would have more than ${definitionLimits.attributes} attributes.`,
      );
    }
  }
  if (declaredIndexes(after).length > definitionLimits.indexes) {
    throw new DefinitionFault("/attributes", `A model can have at most ${definitionLimits.indexes} indexes.`);
  }
}

/** The title leads to a value. `isOwn`: the request defines the class; else its title depends on another one. */
function acceptTitle({ name, title }: ClassDefinition, after: Model, isOwn: boolean): void {
  if (title === undefined) return;
  const fault = titleAttributes(title, name, after);
  if (typeof fault !== "string") return;
  if (isOwn) throw new DefinitionFault("/title", fault);
  throw new DefinitionFault("/attributes", `The class ${name} would have no title: ${title} would lead to no value.`);
}

/** A new database has no groups. */
const noObjects = { get: async () => [] };

/** The built-in and the given classes. 307 for the first fault, such as a right of a group other than `*`. */
export async function initialClasses(input: readonly NamedClass[]): Promise<readonly ClassDefinition[]> {
  const names = new Set<string>();
  for (const { name, pointer } of input) {
    if (names.has(name)) throw new DefinitionFault(`${pointer}/name`, "Another class has this name.");
    names.add(name);
  }
  const { after } = await acceptClasses(input, new Model({ generation: 0, classes: builtInClasses }), noObjects);
  return Array.from(after.all(), ({ definition }) => definition);
}
