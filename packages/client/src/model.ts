import type {
  AttributeData,
  ClassDefinitionData,
  ClassStructureData,
  ModelStructureData,
  RightData,
} from "@sallyport/contract";

/** An attribute as it is to be. */
export type AttributeDefinition = AttributeData;

/** What a group may do with the objects of a class. */
export type ClassRight = RightData;

/** A class as it is to be: all of it, what is left out is none. */
export type ClassDefinition = ClassDefinitionData;

/** A class as the user sees it. */
export type ClassStructure = ClassStructureData;

/** The classes that the user may read. */
export type ModelStructure = ModelStructureData;

/** The definition that a class has, to be put back with changes. The structure must be one that an administrator has read. */
export function definitionOf({ base, attributes, rights = [] }: ClassStructure): ClassDefinition {
  const own = attributes
    .filter(({ inherited }) => !inherited)
    .map(
      ({ name, type, target, mandatory, indexed, onDelete, read }): AttributeDefinition => ({
        name,
        type,
        mandatory,
        indexed,
        ...(typeof target === "string" ? { target } : {}),
        ...(onDelete === undefined ? {} : { onDelete }),
        ...(read === undefined ? {} : { read }),
      }),
    );
  return { base, attributes: own, rights };
}

export const structurePath = "/v1/model/structure";

export function classPath(name: string): string {
  return `${structurePath}/${encodeURIComponent(name)}`;
}
