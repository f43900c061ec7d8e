import type { AttributeDefinition, AttributeType } from "@sallyport/core";
import type { SchemaObject } from "./open-api.ts";
import { plainValueSchema } from "./plain-value-schema.ts";

const nothing: SchemaObject = { type: "null" };
const mostElements = 10_000;

/** The component that says how a client names the target of a reference. */
export const targetName = "ReferenceTarget";

const target: SchemaObject = { $ref: `#/components/schemas/${targetName}` };

const metaFields = ["~ObjectID", "~UUID", "~ClassName", "~StoreTime"];

export const targetSchema: SchemaObject = {
  description:
    "What a reference is to lead to: an id, a UUID, or an object with at least one of both and no attributes.",
  anyOf: [
    { type: "string", minLength: 1 },
    {
      type: "object",
      properties: Object.fromEntries(metaFields.map((name) => [name, { type: "string" }])),
      additionalProperties: false,
    },
  ],
};

/** An attribute as a client writes it. */
export function givenAttributeSchema({ type, mandatory = false }: AttributeDefinition): SchemaObject {
  const orNothing = mandatory ? [] : [nothing];
  switch (type) {
    case "file":
      return nothing;
    case "reference":
      return mandatory ? target : { anyOf: [target, nothing] };
    case "collection":
      return { anyOf: [{ type: "array", maxItems: mostElements, items: target }, ...orNothing] };
    default:
      return plainValueSchema(type, mandatory);
  }
}

/** A value for a first try; `undefined` where it depends on what there is. */
export function exampleValue({ name, type }: AttributeDefinition): unknown {
  const values: Readonly<Record<AttributeType, unknown>> = {
    string: name,
    number: 1,
    boolean: true,
    date: "2026-01-31",
    json: {},
    file: undefined,
    reference: undefined,
    collection: undefined,
  };
  return values[type];
}
