export { alignIndexes, type AlignmentReport, type ClassServices, type IndexAlignment } from "./align-indexes.ts";
export {
  type AttributeStructure,
  type ClassStructure,
  listReadableClasses,
  type ModelStructure,
  type ReadableClass,
  type ReadableClasses,
  readStructure,
} from "./read-structure.ts";
export * from "./put-class.ts";
