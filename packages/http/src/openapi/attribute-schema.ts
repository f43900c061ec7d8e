import type { AttributeDefinition, AttributeType } from "@sallyport/core";
import type { SchemaObject } from "./open-api.ts";

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

/** The types whose values lead to no other object. */
type PlainType = Exclude<AttributeType, "file" | "reference" | "collection">;

/** A value as answers hold it and as clients write it; of an attribute that is not mandatory, `null` too. */
function plainValueSchema(type: PlainType, mandatory: boolean): SchemaObject {
  switch (type) {
    case "date":
      return {
        anyOf: [
          ...["date", "date-time"].map((format) => ({ type: "string", format })),
          ...(mandatory ? [] : [{ type: "null" }]),
        ],
      };
    case "json":
      return {};
    default:
      return mandatory ? { type } : { type: [type, "null"] };
  }
}
