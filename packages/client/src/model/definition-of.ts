import type { AttributeDefinition, ClassDefinition, ClassStructure } from "./structure.ts";

/** The definition that a class has, to be put back with changes. The structure must be one that an administrator has read. */
export function definitionOf({ base, attributes, rights = [] }: ClassStructure): ClassDefinition {
  const own = attributes
    .filter(({ inherited }) => !inherited)
    .map(
      ({ name, type, target, mandatory, indexed, onDelete, read }): AttributeDefinition => ({
        name,
        type,
        mandatory,
        indexed,
        ...(typeof target === "string" ? { target } : {}),
        ...(onDelete === undefined ? {} : { onDelete }),
        ...(read === undefined ? {} : { read }),
      }),
    );
  return { base, attributes: own, rights };
}
