import type {
  AttributeData,
  ClassDefinitionData,
  ClassStructureData,
  ModelStructureData,
  RightData,
} from "@sallyport/contract";

/** The definition of an attribute. */
export type AttributeDefinition = AttributeData;

/** No member may be missing: the server would remove it. */
type DefinitionMembers = AttributeDefinition & Readonly<Record<keyof AttributeDefinition, unknown>>;

/** The rights of a group on the objects of a class. */
export type ClassRight = RightData;

/** The complete definition of a class. Omitted parts are removed. */
export type ClassDefinition = ClassDefinitionData;

/** A class as the user sees it. */
export type ClassStructure = ClassStructureData;

/** The classes that the user can read. */
export type ModelStructure = ModelStructureData;

/**
 * The definition of a class, to be changed and written back. Throws a `TypeError` for a structure without `rights`, which
 * only administrators can read: writing its definition would remove all rights of the class.
 */
export function definitionOf({ name: className, base, title, attributes, rights }: ClassStructure): ClassDefinition {
  if (rights === undefined)
    throw new TypeError(`The rights of the class ${className} are unknown. Only administrators can read them.`);
  const own = attributes
    .filter(({ inherited }) => !inherited)
    .map(({ name, type, target: readable, mandatory, indexed, onDelete, read }) => {
      // `null` stands for a class that the user cannot read.
      const target = readable ?? undefined;
      return { name, type, target, mandatory, indexed, onDelete, read } satisfies DefinitionMembers;
    });
  return { base, title, attributes: own, rights };
}
