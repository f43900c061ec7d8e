export { acceptChanges } from "./accept-changes.ts";
export { defaultAnswerBytes } from "./answer-bounds.ts";
export { AnswerTooLargeError } from "./answer-too-large-error.ts";
export { CreateObject } from "./create-object.ts";
export { type FoundObject, GetObject } from "./get-object.ts";
export { jsonBytes } from "./json-bytes.ts";
export type { Links } from "./links.ts";
export { linksOf } from "./links-of.ts";
export { type ListedObjects, ListObjects, type ListObjectsInput, type ObjectList } from "./list-objects.ts";
export type { ObjectChange, Writing } from "./object-change.ts";
export { isObjectId, type ObjectId, objectIdOf, objectNumber } from "./object-id.ts";
export type { ObjectOutline } from "./object-outline.ts";
export type { ObjectRepository } from "./object-repository.ts";
export { type ObjectReference, objectReference, type SingleReference } from "./object-reference.ts";
export { GetReaders, type ObjectReaders, SetReaders, type SetReadersInput } from "./object-readers.ts";
export { ObjectSerializer } from "./object-serializer.ts";
export {
  defaultDepth,
  fullPlan,
  type ObjectPlan,
  planSerialization,
  type PlannedAnswer,
  type Serialization,
  type SerializationField,
  type SerializationFieldObject,
  withUuid,
} from "./serialization/index.ts";
export type { SerializationSource } from "./serialization-source.ts";
export { SerializeOwnUser } from "./serialize-own-user.ts";
export type { SerializedCollection, SerializedObject } from "./serialized-object.ts";
export { StoreTime } from "./store-time.ts";
export type { Attributes, JsonValue, NewObject, StoredObject } from "./stored-object.ts";
export { acceptObjectSize, maximumObjectBytes, objectTooLarge } from "./object-size.ts";
export { dateValue } from "./values/date-value.ts";
export { isUuid } from "./uuid.ts";
export { UpdateObjects, type UpdatedObjects, type UpdateObjectsInput } from "./update-objects.ts";
export { UpdateObject, type UpdateObjectInput } from "./update-object.ts";
export type { GivenAttributes } from "./values/accept-attributes.ts";
