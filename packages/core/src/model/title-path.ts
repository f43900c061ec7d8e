import { type AttributeDefinition, type AttributeType, isSingleLink } from "@sallyport/storage";
import { definitionLimits } from "./class-request.ts";
import { type Model, targetClass } from "./model.ts";

/** Types of values that a title can be. */
const titleTypes: ReadonlySet<AttributeType> = new Set(["string", "number", "date"]);

/** The attributes on the path of a title: references, then the value. A text says why there are none. */
export function titleAttributes(
  path: string,
  className: string,
  model: Model,
): readonly [...references: AttributeDefinition[], value: AttributeDefinition] | string {
  const names = path.split(".");
  const leaf = names.pop() as string;
  if (names.length > definitionLimits.titleReferences)
    return `A title can follow at most ${definitionLimits.titleReferences} references.`;
  const references: AttributeDefinition[] = [];
  let holder: string | null = className;
  for (const name of names) {
    const reference = attributeOf(holder, name, model);
    if (reference === undefined) return `There is no attribute ${name} for the title.`;
    if (!isSingleLink(reference.type)) return "A title can only follow references.";
    references.push(reference);
    holder = targetClass(reference);
  }
  const value = attributeOf(holder, leaf, model);
  if (value === undefined) return `There is no attribute ${leaf} for the title.`;
  if (!titleTypes.has(value.type)) return "The title must be a string, a number or a date.";
  return [...references, value];
}

function attributeOf(className: string | null, name: string, model: Model): AttributeDefinition | undefined {
  return className === null ? undefined : model.find(className)?.attributes.get(name);
}
