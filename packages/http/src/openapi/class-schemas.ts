import type { AttributeDefinition, AttributeType, Permission } from "@sallyport/storage";
import {
  isFileClass,
  maxCollectionElements,
  type ModelClass,
  type ReadableClass,
  type ReadableClasses,
  targetSubtree,
  writableAttributes,
} from "@sallyport/core";
import type { Method } from "@sallyport/contract";
import type { MediaTypeObject, SchemaObject } from "./open-api.ts";

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

const addressOf = (component: string): string => `#/components/schemas/${component}`;
const refTo = (component: string): SchemaObject => ({ $ref: addressOf(component) });

/** Component names of a class in responses and requests. The dot prevents collisions with other components. */
const componentOf = (className: string): string => `class.${className}`;
const changeOf = (className: string): string => `class.${className}.change`;
const newOf = (className: string): string => `class.${className}.new`;

/** Component that describes a reference target in a request. */
const targetName = "ReferenceTarget";

const anyObject = refTo("Object");
const anyTarget = refTo(targetName);
const nullSchema: SchemaObject = { type: "null" };
const countSchema: SchemaObject = { type: "integer", minimum: 0 };

/** Maps each attribute name to a schema. */
function byAttribute(
  attributes: ModelClass["attributes"],
  schemaOf: (attribute: AttributeDefinition) => SchemaObject,
): SchemaObject {
  return Object.fromEntries(Array.from(attributes, ([name, attribute]) => [name, schemaOf(attribute)]));
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
          ...(mandatory ? [] : [nullSchema]),
        ],
      };
    case "json":
      return {};
    default:
      return mandatory ? { type } : { type: [type, "null"] };
  }
}

/**
 * Components that describe classes in responses: one per class, and `Object`, an object of any of them. `genericObject`
 * is the `Object` component with the meta-fields, without classes.
 */
export function classSchemas(readable: ReadableClasses, genericObject: SchemaObject): Record<string, SchemaObject> {
  const { classes } = readable;
  if (classes.length === 0) return {};
  const names = classes.map(({ modelClass }) => modelClass.definition.name);
  const readableNames = new Set(names);
  const classComponents = classes.map(
    (each) =>
      [
        componentOf(each.modelClass.definition.name),
        classSchema(each, readable, readableNames, genericObject),
      ] as const,
  );
  const mapping = Object.fromEntries(names.map((name) => [name, addressOf(componentOf(name))]));
  const objectComponent = {
    description: "An object of a class that you can read.",
    anyOf: names.map((name) => refTo(componentOf(name))),
    discriminator: { propertyName: "~ClassName", mapping },
  };
  return Object.fromEntries([...classComponents, ["Object", objectComponent]]);
}

function classSchema(
  { modelClass: { definition, attributes } }: ReadableClass,
  { model }: ReadableClasses,
  readableNames: ReadonlySet<string>,
  genericObject: SchemaObject,
): SchemaObject {
  const { name, base } = definition;
  const targetsOf = (attribute: AttributeDefinition) =>
    targetSubtree(attribute, model)
      ?.filter((each) => readableNames.has(each))
      .map((each) => refTo(componentOf(each))) ?? null;
  return {
    title: name,
    type: "object",
    ...(base !== null && readableNames.has(base) ? { description: `Inherits from \`${base}\`.` } : {}),
    properties: {
      ...(genericObject["properties"] as SchemaObject),
      "~ClassName": { const: name, type: "string" },
      ...byAttribute(attributes, (attribute) => attributeSchema(attribute, targetsOf(attribute))),
    },
    required: genericObject["required"],
  };
}

/**
 * Schema of an attribute in responses. `targets`: schemas of the readable target classes; `null` if the target can be
 * any object.
 */
function attributeSchema(attribute: AttributeDefinition, targets: readonly SchemaObject[] | null): SchemaObject {
  const schema = valueSchema(attribute, targets ?? [anyObject]);
  const notes = [
    ...(attribute.mandatory === true ? ["Mandatory."] : []),
    ...(attribute.indexed === true ? ["Indexed."] : []),
    ...(attribute.type === "json" ? ["Any JSON value."] : []),
    ...(targets?.length === 0 ? ["You cannot read any target."] : []),
  ];
  return notes.length === 0 ? schema : { ...schema, description: notes.join(" ") };
}

function valueSchema({ type, mandatory = false }: AttributeDefinition, targets: readonly SchemaObject[]): SchemaObject {
  switch (type) {
    case "file":
    case "reference":
      // A mandatory reference is `null` if its target is hidden from the caller.
      return targets.length === 0 ? nullSchema : { anyOf: [...targets, nullSchema] };
    case "collection":
      return {
        type: "object",
        properties: {
          "~Count": countSchema,
          "~UnfilteredCount": countSchema,
          "~Elements": { type: "array", ...elementsOf(targets) },
        },
        required: ["~Count", "~UnfilteredCount", "~Elements"],
      };
    default:
      return plainValueSchema(type, mandatory);
  }
}

function elementsOf(targets: readonly SchemaObject[]): SchemaObject {
  const [only] = targets;
  if (only === undefined) return { maxItems: 0 };
  return { items: targets.length === 1 ? only : { anyOf: targets } };
}

/**
 * Components that describe classes in requests: an update per class that the caller can write, and a new object per class
 * that the caller can create.
 */
export function requestSchemas(readable: ReadableClasses): Record<string, SchemaObject> {
  const created = classesFor("POST", readable);
  // A new object is described by its update, too.
  const written = new Set([...created, ...classesFor("PATCH", readable)]);
  if (written.size === 0) return {};
  return Object.fromEntries([
    [targetName, targetSchema],
    ...Array.from(written, (each) => [changeOf(each.definition.name), changeSchema(each, readable)] as const),
    ...created.map((each) => [newOf(each.definition.name), newSchema(each, readable)] as const),
  ]);
}

/** Body of a request that creates or updates objects; `undefined` if the caller lacks the permission. */
export function requestBody(method: Method, readable: ReadableClasses): MediaTypeObject | undefined {
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
    properties: byAttribute(writableAttributes(model, modelClass), requestAttributeSchema),
    additionalProperties: false,
  };
}

/** The update, with its mandatory attributes required: one that clients cannot write would have no valid value. */
function newSchema(modelClass: ModelClass, { model }: ReadableClasses): SchemaObject {
  const { name: className } = modelClass.definition;
  const required = [...writableAttributes(model, modelClass).values()]
    .filter((attribute) => attribute.mandatory === true)
    .map(({ name }) => name);
  const schema = { title: `${className} (create)`, allOf: [refTo(changeOf(className))] };
  return required.length === 0 ? schema : { ...schema, required };
}

/** Schema of an attribute in requests. */
function requestAttributeSchema({ type, mandatory = false }: AttributeDefinition): SchemaObject {
  switch (type) {
    case "file":
    case "reference":
      return mandatory ? anyTarget : { anyOf: [anyTarget, nullSchema] };
    case "collection": {
      const targets = { type: "array", maxItems: maxCollectionElements, items: anyTarget };
      return { anyOf: mandatory ? [targets] : [targets, nullSchema] };
    }
    default:
      return plainValueSchema(type, mandatory);
  }
}

const targetFields = ["~ObjectID", "~UUID", "~ClassName", "~StoreTime"];

const targetSchema: SchemaObject = {
  description: "Target of a reference: an id, a UUID, or an object with at least one of them and without attributes.",
  anyOf: [
    { type: "string", minLength: 1 },
    {
      type: "object",
      properties: Object.fromEntries(targetFields.map((name) => [name, { type: "string" }])),
      additionalProperties: false,
    },
  ],
};

/** Example values by type. That of a string is the name of its attribute; that of a link would depend on the data. */
const exampleValues: Partial<Record<AttributeType, unknown>> = {
  number: 1,
  boolean: true,
  date: "2026-01-31",
  json: {},
};

function exampleOf(attributes: readonly AttributeDefinition[]): object {
  const values = attributes.map(({ name, type }) => [name, type === "string" ? name : exampleValues[type]] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
