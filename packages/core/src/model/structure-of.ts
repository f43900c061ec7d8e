import { mayOnClass } from "../rights/visibility-of.ts";
import type { Principal } from "../rights/principal.ts";
import { builtInClasses } from "./built-in-classes.ts";
import { type AttributeDefinition, permissions } from "./class-definition.ts";
import type { AttributeStructure, ClassStructure } from "./class-structure.ts";
import { deleteRuleOf } from "./delete-rule-of.ts";
import type { Model, ModelClass } from "./model.ts";
import type { ReadyIndexes } from "./ready-indexes.ts";

export interface StructureSource {
  readonly model: Model;
  readonly principal: Principal;
  readonly indexes: ReadyIndexes;
}

/** What the principal is shown of a class that he may read. */
export function structureOf(modelClass: ModelClass, { model, principal, indexes }: StructureSource): ClassStructure {
  const { definition, attributes, links } = modelClass;
  const { name, base, rights } = definition;
  const own = new Set(definition.attributes.map((attribute) => attribute.name));
  const attributeOf = (attribute: AttributeDefinition): AttributeStructure => ({
    name: attribute.name,
    type: attribute.type,
    ...(attribute.target === undefined ? {} : { target: readable(attribute.target, model, principal) }),
    mandatory: attribute.mandatory === true,
    indexed: attribute.indexed === true,
    ...(attribute.indexed === true
      ? { indexState: indexes.serve(modelClass, attribute.name) ? "ready" : "building" }
      : {}),
    ...(links.includes(attribute) ? { onDelete: deleteRuleOf(attribute) } : {}),
    ...(principal.administrator && attribute.read !== undefined ? { read: attribute.read } : {}),
    inherited: !own.has(attribute.name),
  });
  return {
    name,
    base: base === null ? null : readable(base, model, principal),
    builtIn: builtInClasses.some((each) => each.name === name),
    attributes: [...attributes.values()].map(attributeOf),
    permissions: permissions.filter((permission) => mayOnClass(principal, modelClass, permission)),
    ...(principal.administrator ? { rights } : {}),
  };
}

/** A class that may not be read is not there, neither by its name. */
function readable(name: string, model: Model, principal: Principal): string | null {
  const modelClass = model.find(name);
  return modelClass !== undefined && mayOnClass(principal, modelClass, "read") ? name : null;
}
