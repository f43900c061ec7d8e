export { AlignIndexes, type AlignmentReport, type IndexAlignment } from "./align-indexes.ts";
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
export { builtInClasses, providerUserClass } from "./built-in-classes.ts";
export { type AttributeStructure, type ClassStructure, type ModelStructure, ReadStructure } from "./read-structure.ts";
export type { NamedClass } from "./accept-classes.ts";
export type { GivenAttribute, GivenClass, GivenRight } from "./given-class.ts";
export { type AttributeIndex, type IndexReport, wantedIndexes } from "./wanted-indexes.ts";
export { initialClasses } from "./initial-classes.ts";
export { Model, type ModelClass } from "./model.ts";
export { ModelCache } from "./model-cache.ts";
export { OutdatedModelError, requestModel, withCurrentModel } from "./current-model.ts";
export type { ModelDelta, ModelRepository, StoredModel } from "./model-repository.ts";
export { PutClass, type PutClassInput, type PutClassOutcome } from "./put-class.ts";
export { RemoveClass, type RemoveClassInput } from "./remove-class.ts";
