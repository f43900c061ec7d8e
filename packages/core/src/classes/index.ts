export { AlignIndexes, type AlignmentReport, type IndexAlignment } from "./align-indexes.ts";
export * from "./list-readable-classes.ts";
export * from "./put-class.ts";
export { type AttributeStructure, type ClassStructure, type ModelStructure, ReadStructure } from "./read-structure.ts";
export * from "./remove-class.ts";
