import type { AttributeDefinition } from "@sallyport/core";
import type { SchemaObject } from "./open-api.ts";
import { plainValueSchema } from "./plain-value-schema.ts";

const anObject: SchemaObject = { $ref: "#/components/schemas/Object" };
const nothing: SchemaObject = { type: "null" };
const count: SchemaObject = { type: "integer", minimum: 0 };

/**
 * An attribute as answers hold it. `targets`: the schemas of what it leads to, as far as the caller may read that;
 * `null` when it can be anything.
 */
export function attributeSchema(attribute: AttributeDefinition, targets: readonly SchemaObject[] | null): SchemaObject {
  const described = { ...valueSchema(attribute, targets ?? [anObject]) };
  const notes = [
    ...(attribute.mandatory === true ? ["Mandatory."] : []),
    ...(attribute.indexed === true ? ["Indexed."] : []),
    ...(attribute.type === "json" ? ["Any JSON."] : []),
    ...(targets?.length === 0 ? ["Leads to nothing that you may read."] : []),
  ];
  return notes.length === 0 ? described : { ...described, description: notes.join(" ") };
}

function valueSchema({ type, mandatory = false }: AttributeDefinition, targets: readonly SchemaObject[]): SchemaObject {
  switch (type) {
    case "file":
    case "reference":
      // One that is mandatory can still lead to what the caller may not see.
      return targets.length === 0 ? nothing : { anyOf: [...targets, nothing] };
    case "collection":
      return {
        type: "object",
        properties: {
          "~Count": count,
          "~UnfilteredCount": count,
          "~Elements": { type: "array", ...elements(targets) },
        },
        required: ["~Count", "~UnfilteredCount", "~Elements"],
      };
    default:
      return plainValueSchema(type, mandatory);
  }
}

function elements(targets: readonly SchemaObject[]): SchemaObject {
  const [only] = targets;
  if (only === undefined) return { maxItems: 0 };
  return { items: targets.length === 1 ? only : { anyOf: targets } };
}
