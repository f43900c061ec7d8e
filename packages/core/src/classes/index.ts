export { AlignIndexes, type AlignmentReport, type IndexAlignment } from "./align-indexes.ts";
export {
  type AttributeStructure,
  type ClassStructure,
  ListReadableClasses,
  type ModelStructure,
  type ReadableClass,
  type ReadableClasses,
  ReadStructure,
} from "./read-structure.ts";
export * from "./put-class.ts";
