export { canonicalJson } from "./canonical-json.ts";
export {
  type AttributeDefinition,
  type AttributeType,
  attributeTypes,
  type ClassDefinition,
  type ClassRight,
  type DeleteRule,
  deleteRuleOf,
  deleteRules,
  isIndexable,
  type Permission,
  permissions,
} from "./class-definition.ts";
export { isAttributeName, isClassName } from "./class-name.ts";
export {
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  type IdentityLinkRecord,
  linkOwner,
  linksOfUser,
  type ProviderIdentity,
  type ProviderType,
  providerTypes,
} from "./identity-links.ts";
export { confusableKeyOf, loginNameOf } from "./login-name.ts";
export {
  isObjectId,
  isUuid,
  type ObjectId,
  objectIdOf,
  objectNumber,
  objectReference,
  type ObjectReference,
  type SingleReference,
} from "./object-id.ts";
export type {
  Comparison,
  Filter,
  Hop,
  MetaType,
  ObjectPage,
  ObjectQuery,
  Page,
  Position,
  Scalar,
  SortKey,
  ValuePath,
  ValueType,
} from "./object-query.ts";
export { type Principal, requireAdministrator, unattendedPrincipal } from "./principal.ts";
export {
  type Entrance,
  type NewSession,
  passwordEntrance,
  type Session,
  type SessionMode,
  type SessionPolicy,
  touchInterval,
} from "./session.ts";
export {
  acceptAnswerBytes,
  acceptObjectCount,
  acceptObjectSize,
  AnswerBudget,
  AnswerTooLargeError,
  atMost,
  defaultAnswerBytes,
  exact,
  jsonBytes,
  maximumObjectBytes,
  type Measure,
  mostWrittenBytes,
  objectTooLarge,
  type Written,
} from "./size-limits.ts";
export {
  type Attributes,
  idsOf,
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
export { isVisible, seesAll, type Visibility } from "./visibility.ts";
