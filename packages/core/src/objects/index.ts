export type { GivenAttributes } from "./accept-attributes.ts";
export { CreateObject } from "./create-object.ts";
export { type FoundObject, GetObject } from "./get-object.ts";
export { type ListedObjects, ListObjects, type ListObjectsInput, type ObjectList } from "./list-objects.ts";
export {
  defaultDepth,
  fullPlan,
  type ObjectPlan,
  type PlannedAnswer,
  planSerialization,
  withUuid,
} from "./object-plan.ts";
export { GetReaders, type ObjectReaders, SetReaders, type SetReadersInput } from "./object-readers.ts";
export { ObjectSerializer } from "./object-serializer.ts";
export { dateValue } from "./plain-value.ts";
export type { SerializationSource } from "./serialization-source.ts";
export type { Serialization, SerializationField, SerializationFieldObject } from "./serialization.ts";
export { SerializeOwnUser } from "./serialize-own-user.ts";
export { acceptChanges, UpdateObject, type UpdateObjectInput } from "./update-object.ts";
export { type UpdatedObjects, UpdateObjects, type UpdateObjectsInput } from "./update-objects.ts";
export {
  guardUserAttributes,
  isUserClass,
  isUserName,
  type NamedUser,
  renameAccount,
  reserveUserNames,
  userName,
  UserNames,
} from "./user-names.ts";
export * from "./departures/index.ts";
export * from "./hooks/index.ts";
export * from "./locks/index.ts";
export * from "./query/index.ts";
