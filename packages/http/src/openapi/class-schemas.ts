import type { AttributeDefinition, ReadableClass, ReadableClasses } from "@sallyport/core";
import { attributeSchema } from "./attribute-schema.ts";
import type { SchemaObject } from "./open-api.ts";

/** The component of a class; the point keeps it apart from everything else. */
const componentOf = (className: string): string => `class.${className}`;

const refTo = (className: string): string => `#/components/schemas/${componentOf(className)}`;

/**
 * The components that describe classes: one for each, and `Object`, which is an object of one of them. `general` is
 * `Object` where no class is known: it has the meta-fields.
 */
export function classSchemas(readable: ReadableClasses, general: SchemaObject): Record<string, SchemaObject> {
  const { classes } = readable;
  if (classes.length === 0) return {};
  const names = classes.map(({ modelClass }) => modelClass.definition.name);
  const known = new Set(names);
  const described = classes.map(
    (each) => [componentOf(each.modelClass.definition.name), classSchema(each, readable, known, general)] as const,
  );
  const mapping = Object.fromEntries(names.map((name) => [name, refTo(name)]));
  const anyObject = {
    description: "An object of a class that you may read.",
    anyOf: names.map((name) => ({ $ref: refTo(name) })),
    discriminator: { propertyName: "~ClassName", mapping },
  };
  return Object.fromEntries([...described, ["Object", anyObject]]);
}

function classSchema(
  { modelClass: { definition, attributes } }: ReadableClass,
  { model }: ReadableClasses,
  known: ReadonlySet<string>,
  general: SchemaObject,
): SchemaObject {
  const { name, base } = definition;
  const targetsOf = ({ type, target = type === "file" ? "File" : undefined }: AttributeDefinition) => {
    if (target === undefined) return null;
    const family = model.find(target)?.family ?? [];
    return family.filter((each) => known.has(each)).map((each) => ({ $ref: refTo(each) }));
  };
  const written = Array.from(
    attributes.values(),
    (attribute) => [attribute.name, attributeSchema(attribute, targetsOf(attribute))] as const,
  );
  return {
    title: name,
    type: "object",
    ...(base !== null && known.has(base) ? { description: `Inherits from \`${base}\`.` } : {}),
    properties: {
      ...(general["properties"] as SchemaObject),
      "~ClassName": { const: name, type: "string" },
      ...Object.fromEntries(written),
    },
    required: general["required"],
  };
}
