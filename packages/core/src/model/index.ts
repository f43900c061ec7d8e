export { builtInClasses } from "./built-in-classes.ts";
export {
  type AttributeDefinition,
  type AttributeType,
  attributeTypes,
  type ClassDefinition,
  type ClassRight,
  type Permission,
  permissions,
} from "./class-definition.ts";
export { isClassName } from "./class-name.ts";
export { Model, type ModelClass } from "./model.ts";
export { ModelCache } from "./model-cache.ts";
export type { ModelDelta, ModelRepository, StoredModel } from "./model-repository.ts";
