export { AlignIndexes, type AlignmentReport } from "./align-indexes.ts";
export { isAttributeName } from "./attribute-name.ts";
export { builtInClasses, providerUserClass } from "./built-in-classes.ts";
export {
  type AttributeDefinition,
  type AttributeType,
  attributeTypes,
  type ClassDefinition,
  type ClassRight,
  type DeleteRule,
  deleteRules,
  type Permission,
  permissions,
} from "./class-definition.ts";
export { isClassName } from "./class-name.ts";
export type { AttributeStructure, ClassStructure } from "./class-structure.ts";
export type { NamedClass } from "./definitions/accept-classes.ts";
export type { GivenAttribute, GivenClass, GivenRight } from "./definitions/given-class.ts";
export { deleteRuleOf } from "./delete-rule-of.ts";
export type { IndexAlignment } from "./index-alignment.ts";
export { initialClasses } from "./initial-classes.ts";
export { isIndexable } from "./is-indexable.ts";
export { Model, type ModelClass } from "./model.ts";
export { ModelCache } from "./model-cache.ts";
export { OutdatedModelError } from "./outdated-model-error.ts";
export type { ModelDelta, ModelRepository, StoredModel } from "./model-repository.ts";
export { withCurrentModel } from "./with-current-model.ts";
export { PutClass, type PutClassInput, type PutClassOutcome } from "./put-class.ts";
export { type ModelStructure, ReadStructure } from "./read-structure.ts";
export { requestModel } from "./request-model.ts";
export { RemoveClass, type RemoveClassInput } from "./remove-class.ts";
export { type AttributeIndex, type IndexReport, wantedIndexes } from "./wanted-indexes.ts";
