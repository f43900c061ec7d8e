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
