import type {
  AttributeDefinition,
  AttributeType,
  ModelClass,
  Permission,
  ReadableClass,
  ReadableClasses,
} from "@sallyport/core";
import type { Method } from "../routes/route.ts";
import type { MediaTypeObject, SchemaObject } from "./open-api.ts";

const addressOf = (component: string): string => `#/components/schemas/${component}`;
const refTo = (component: string): SchemaObject => ({ $ref: addressOf(component) });

/** The component of a class; the point keeps it apart from everything else. */
const componentOf = (className: string): string => `class.${className}`;

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
  const mapping = Object.fromEntries(names.map((name) => [name, addressOf(componentOf(name))]));
  const anyObject = {
    description: "An object of a class that you may read.",
    anyOf: names.map((name) => refTo(componentOf(name))),
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
    const subtree = model.find(target)?.subtree ?? [];
    return subtree.filter((each) => known.has(each)).map((each) => refTo(componentOf(each)));
  };
  return {
    title: name,
    type: "object",
    ...(base !== null && known.has(base) ? { description: `Inherits from \`${base}\`.` } : {}),
    properties: {
      ...(general["properties"] as SchemaObject),
      "~ClassName": { const: name, type: "string" },
      ...byAttribute(attributes, (attribute) => attributeSchema(attribute, targetsOf(attribute))),
    },
    required: general["required"],
  };
}

/** A schema for each attribute, by name. */
function byAttribute(
  attributes: ModelClass["attributes"],
  schemaOf: (attribute: AttributeDefinition) => SchemaObject,
): SchemaObject {
  return Object.fromEntries(Array.from(attributes, ([name, attribute]) => [name, schemaOf(attribute)]));
}

const anObject = refTo("Object");
const nothing: SchemaObject = { type: "null" };
const count: SchemaObject = { type: "integer", minimum: 0 };

/**
 * An attribute as answers hold it. `targets`: the schemas of what it leads to, as far as the caller may read that;
 * `null` when it can be anything.
 */
function attributeSchema(attribute: AttributeDefinition, targets: readonly SchemaObject[] | null): SchemaObject {
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
const targetName = "ReferenceTarget";

const target = refTo(targetName);

const metaFields = ["~ObjectID", "~UUID", "~ClassName", "~StoreTime"];

const targetSchema: SchemaObject = {
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
function givenAttributeSchema({ type, mandatory = false }: AttributeDefinition): SchemaObject {
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

const exampleValues: Partial<Record<AttributeType, unknown>> = {
  number: 1,
  boolean: true,
  date: "2026-01-31",
  json: {},
};

/** A value for a first try; `undefined` where it depends on what there is. */
function exampleValue({ name, type }: AttributeDefinition): unknown {
  return type === "string" ? name : exampleValues[type];
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
          ...(mandatory ? [] : [nothing]),
        ],
      };
    case "json":
      return {};
    default:
      return mandatory ? { type } : { type: [type, "null"] };
  }
}

/** What a method does with objects. */
const permissionFor: Readonly<Record<Method, Permission>> = {
  GET: "read",
  POST: "create",
  PUT: "write",
  PATCH: "write",
  DELETE: "delete",
};

/** The classes with whose objects the caller may do what the method does. */
export function classesFor(method: Method, { classes }: ReadableClasses): ModelClass[] {
  return classes
    .filter(({ permissions }) => permissions.includes(permissionFor[method]))
    .map(({ modelClass }) => modelClass);
}

const changeOf = (name: string): string => `class.${name}.change`;
const newOf = (name: string): string => `class.${name}.new`;

/** The components that describe what the caller may write: of each class a change, and a new object. */
export function writtenSchemas(readable: ReadableClasses): Record<string, SchemaObject> {
  const created = classesFor("POST", readable);
  const written = new Set([...created, ...classesFor("PATCH", readable)]);
  if (written.size === 0) return {};
  const schemas = [...written].map((each) => [changeOf(each.definition.name), changeSchema(each)] as const);
  const whole = created.map((each) => [newOf(each.definition.name), newSchema(each)] as const);
  return Object.fromEntries([[targetName, targetSchema], ...schemas, ...whole]);
}

/** The body of a request that creates or changes objects; `undefined` where the caller may not. */
export function writtenBody(method: Method, readable: ReadableClasses): MediaTypeObject | undefined {
  const classes = classesFor(method, readable);
  if (classes.length === 0) return undefined;
  const bodyOf = method === "POST" ? newOf : changeOf;
  const examples = classes.map(
    ({ definition: { name }, attributes }) =>
      [name, { summary: name, value: exampleOf([...attributes.values()]) }] as const,
  );
  return {
    schema: { anyOf: classes.map(({ definition }) => refTo(bodyOf(definition.name))) },
    examples: Object.fromEntries(examples),
  };
}

function changeSchema({ definition, attributes }: ModelClass): SchemaObject {
  return {
    title: `${definition.name}, changed`,
    type: "object",
    properties: byAttribute(attributes, givenAttributeSchema),
    additionalProperties: false,
  };
}

function newSchema({ definition, attributes }: ModelClass): SchemaObject {
  const mandatory = [...attributes.values()]
    .filter((attribute) => attribute.mandatory === true)
    .map(({ name }) => name);
  const whole = { title: `${definition.name}, new`, allOf: [refTo(changeOf(definition.name))] };
  return mandatory.length === 0 ? whole : { ...whole, required: mandatory };
}

function exampleOf(attributes: readonly AttributeDefinition[]): object {
  const values = attributes.map((attribute) => [attribute.name, exampleValue(attribute)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
