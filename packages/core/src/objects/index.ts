export { acceptChanges, UpdateObject, type UpdateObjectInput } from "./update-object.ts";
export { CreateObject } from "./create-object.ts";
export { type FoundObject, GetObject } from "./get-object.ts";
export {
  acceptObjectSize,
  AnswerTooLargeError,
  defaultAnswerBytes,
  jsonBytes,
  maximumObjectBytes,
  objectTooLarge,
} from "./size-limits.ts";
export {
  type Attributes,
  type JsonValue,
  type Links,
  linksOf,
  type NewObject,
  type ObjectChange,
  type ObjectOutline,
  type SerializedCollection,
  type SerializedObject,
  type StoredObject,
  type Writing,
} from "./stored-object.ts";
export { type ListedObjects, ListObjects, type ListObjectsInput, type ObjectList } from "./list-objects.ts";
export {
  isObjectId,
  isUuid,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type ObjectReference,
  objectReference,
  type SingleReference,
} from "./object-id.ts";
export type { ObjectKeys, ObjectRepository } from "./object-repository.ts";
export { GetReaders, type ObjectReaders, SetReaders, type SetReadersInput } from "./object-readers.ts";
export { ObjectSerializer } from "./object-serializer.ts";
export {
  defaultDepth,
  fullPlan,
  type ObjectPlan,
  planSerialization,
  type PlannedAnswer,
  withUuid,
} from "./object-plan.ts";
export { type Serialization, type SerializationField, type SerializationFieldObject } from "./serialization.ts";
export type { SerializationSource } from "./serialization-source.ts";
export { SerializeOwnUser } from "./serialize-own-user.ts";
export { StoreTime } from "./store-time.ts";
export { dateValue } from "./plain-value.ts";
export { UpdateObjects, type UpdatedObjects, type UpdateObjectsInput } from "./update-objects.ts";
export type { GivenAttributes } from "./accept-attributes.ts";
