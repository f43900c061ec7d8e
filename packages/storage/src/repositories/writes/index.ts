export { deletionWrites } from "./deletion-writes.ts";
export { lockWrites, type LockWriter } from "./lock-writes.ts";
export type {
  ChangedObject,
  FormerReadersEntry,
  LinkedObject,
  ObjectState,
  ObjectWriter,
  ReaderHistory,
  ReadObject,
  WriteObjects,
} from "./object-writer.ts";
export { completed, missingTarget, objectWrites } from "./object-writes.ts";
