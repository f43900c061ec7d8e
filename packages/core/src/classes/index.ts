export { AlignIndexes, type AlignmentReport, type IndexAlignment } from "./align-indexes.ts";
export { ListReadableClasses, type ReadableClass, type ReadableClasses } from "./list-readable-classes.ts";
export { PutClass, type PutClassInput, type PutClassOutcome } from "./put-class.ts";
export { type AttributeStructure, type ClassStructure, type ModelStructure, ReadStructure } from "./read-structure.ts";
export { RemoveClass, type RemoveClassInput } from "./remove-class.ts";
