import type { AttributeDefinition, AttributeType, Permission } from "@sallyport/storage";
import {
  isFileClass,
  type ModelClass,
  type ReadableClass,
  type ReadableClasses,
  targetSubtree,
  writableAttributes,
} from "@sallyport/core";
import type { Method } from "@sallyport/contract";
import type { MediaTypeObject, SchemaObject } from "./open-api.ts";

const addressOf = (component: string): string => `#/components/schemas/${component}`;
const refTo = (component: string): SchemaObject => ({ $ref: addressOf(component) });

/** Component name of a class. The dot prevents collisions with other components. */
const componentOf = (className: string): string => `class.${className}`;

/**
 * Components that describe classes: one per class, and `Object`, an object of any of them. `general` is the generic
 * `Object` component with the meta-fields.
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
    description: "An object of a class that you can read.",
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
  const targetsOf = (attribute: AttributeDefinition) =>
    targetSubtree(attribute, model)
      ?.filter((each) => known.has(each))
      .map((each) => refTo(componentOf(each))) ?? null;
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

/** Maps each attribute name to a schema. */
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
 * Schema of an attribute in responses. `targets`: schemas of the readable target classes; `null` if the target can be
 * any object.
 */
function attributeSchema(attribute: AttributeDefinition, targets: readonly SchemaObject[] | null): SchemaObject {
  const described = { ...valueSchema(attribute, targets ?? [anObject]) };
  const notes = [
    ...(attribute.mandatory === true ? ["Mandatory."] : []),
    ...(attribute.indexed === true ? ["Indexed."] : []),
    ...(attribute.type === "json" ? ["Any JSON value."] : []),
    ...(targets?.length === 0 ? ["You cannot read any target."] : []),
  ];
  return notes.length === 0 ? described : { ...described, description: notes.join(" ") };
}

function valueSchema({ type, mandatory = false }: AttributeDefinition, targets: readonly SchemaObject[]): SchemaObject {
  switch (type) {
    case "file":
    case "reference":
      // A mandatory reference is `null` if its target is hidden from the caller.
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

const maxElements = 10_000;

/** Component that describes a reference target in a request. */
const targetName = "ReferenceTarget";

const target = refTo(targetName);

const metaFields = ["~ObjectID", "~UUID", "~ClassName", "~StoreTime"];

const targetSchema: SchemaObject = {
  description: "Target of a reference: an id, a UUID, or an object with at least one of them and without attributes.",
  anyOf: [
    { type: "string", minLength: 1 },
    {
      type: "object",
      properties: Object.fromEntries(metaFields.map((name) => [name, { type: "string" }])),
      additionalProperties: false,
    },
  ],
};

/** Schema of an attribute in requests. */
function givenAttributeSchema({ type, mandatory = false }: AttributeDefinition): SchemaObject {
  const orNothing = mandatory ? [] : [nothing];
  switch (type) {
    case "file":
    case "reference":
      return mandatory ? target : { anyOf: [target, nothing] };
    case "collection":
      return { anyOf: [{ type: "array", maxItems: maxElements, items: target }, ...orNothing] };
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

/** An example value; `undefined` if it depends on the data. */
function exampleValue({ name, type }: AttributeDefinition): unknown {
  return type === "string" ? name : exampleValues[type];
}

/** Types whose values reference no other object. */
type PlainType = Exclude<AttributeType, "file" | "reference" | "collection">;

/** Schema of a plain value in requests and responses. Allows `null` unless the attribute is mandatory. */
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

/** Permission that a method requires. */
const permissionFor: Readonly<Record<Method, Permission>> = {
  GET: "read",
  POST: "create",
  PUT: "write",
  PATCH: "write",
  DELETE: "delete",
};

/** Classes on whose objects the caller has the permission for the method. Only uploads create files. */
export function classesFor(method: Method, { classes, model }: ReadableClasses): ModelClass[] {
  return classes
    .filter(({ permissions }) => permissions.includes(permissionFor[method]))
    .map(({ modelClass }) => modelClass)
    .filter(({ definition: { name } }) => method !== "POST" || !isFileClass(model, name));
}

const changeOf = (name: string): string => `class.${name}.change`;
const newOf = (name: string): string => `class.${name}.new`;

/** Components of writable classes: an update per class, and a new object per class that the caller can create. */
export function writtenSchemas(readable: ReadableClasses): Record<string, SchemaObject> {
  const created = classesFor("POST", readable);
  const written = new Set([...created, ...classesFor("PATCH", readable)]);
  if (written.size === 0) return {};
  const schemas = [...written].map((each) => [changeOf(each.definition.name), changeSchema(each, readable)] as const);
  const whole = created.map((each) => [newOf(each.definition.name), newSchema(each)] as const);
  return Object.fromEntries([[targetName, targetSchema], ...schemas, ...whole]);
}

/** Body of a request that creates or updates objects; `undefined` if the caller lacks the permission. */
export function writtenBody(method: Method, readable: ReadableClasses): MediaTypeObject | undefined {
  const classes = classesFor(method, readable);
  if (classes.length === 0) return undefined;
  const bodyOf = method === "POST" ? newOf : changeOf;
  const examples = classes.map(
    (each) =>
      [
        each.definition.name,
        { summary: each.definition.name, value: exampleOf([...writableAttributes(readable.model, each).values()]) },
      ] as const,
  );
  return {
    schema: { anyOf: classes.map(({ definition }) => refTo(bodyOf(definition.name))) },
    examples: Object.fromEntries(examples),
  };
}

function changeSchema(modelClass: ModelClass, { model }: ReadableClasses): SchemaObject {
  return {
    title: `${modelClass.definition.name} (update)`,
    type: "object",
    properties: byAttribute(writableAttributes(model, modelClass), givenAttributeSchema),
    additionalProperties: false,
  };
}

function newSchema({ definition, attributes }: ModelClass): SchemaObject {
  const mandatory = [...attributes.values()]
    .filter((attribute) => attribute.mandatory === true)
    .map(({ name }) => name);
  const whole = { title: `${definition.name} (create)`, allOf: [refTo(changeOf(definition.name))] };
  return mandatory.length === 0 ? whole : { ...whole, required: mandatory };
}

function exampleOf(attributes: readonly AttributeDefinition[]): object {
  const values = attributes.map((attribute) => [attribute.name, exampleValue(attribute)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
