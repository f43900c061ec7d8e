export { type InputAttributes, maxCollectionElements } from "./attributes/accept-attributes.ts";
export * from "./lists/count-objects.ts";
export { createAccepted, createObject } from "./create-object.ts";
export * from "./create-objects.ts";
export { canHaveBytes, classesWithBytes, isFileClass, writableAttributes } from "./files/file-class.ts";
export { acceptFileName, acceptMediaType, isFileName, mediaTypeOf } from "./files/file-names.ts";
export { fileAttributes, type FileDescription, fileKind, fileOf, type StoredFile } from "./files/file-record.ts";
export { type FoundObject, getObject, visibleObject } from "./get-object.ts";
export * from "./lists/list-objects.ts";
export {
  defaultDepth,
  fullPlan,
  type ObjectPlan,
  type PlannedAnswer,
  planSerialization,
  withUuid,
} from "./serialization/object-plan.ts";
export * from "./object-readers.ts";
export { ObjectSerializer } from "./serialization/object-serializer.ts";
export { dateValue, isExactJson, plainRule } from "./attributes/plain-value.ts";
export { type TargetReference, targetReference } from "./attributes/target-reference.ts";
export type { SerializationSource } from "./serialization/serialization-source.ts";
export type { Serialization, SerializationField, SerializationFieldObject } from "./serialization/serialization.ts";
export * from "./serialization/serialize-own-user.ts";
export { changeAccepted, updateObject, type UpdateObjectInput } from "./update-object.ts";
export * from "./update-objects.ts";
export * from "./user-names.ts";
export * from "./lists/views.ts";
export * from "./deletion/index.ts";
export * from "./hooks/index.ts";
export * from "./lock-object.ts";
export * from "./query/index.ts";
export { readOutlines as namedObjects } from "./attributes/resolve-links.ts";
export * from "./files/write-file-object.ts";
export { prepareAllAttributes } from "./prepare-attributes.ts";
