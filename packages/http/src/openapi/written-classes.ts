import type { AttributeDefinition, ModelClass, Permission, ReadableClasses } from "@sallyport/core";
import type { Method } from "../routes/route.ts";
import { exampleValue, givenAttributeSchema, targetName, targetSchema } from "./attribute-schema.ts";
import type { MediaTypeObject, SchemaObject } from "./open-api.ts";

/** What a method does with objects. */
export const permissionFor: Readonly<Record<Method, Permission>> = {
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
const refTo = (component: string): SchemaObject => ({ $ref: `#/components/schemas/${component}` });

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
  const componentOf = method === "POST" ? newOf : changeOf;
  const examples = classes.map(
    ({ definition: { name }, attributes }) =>
      [name, { summary: name, value: exampleOf([...attributes.values()]) }] as const,
  );
  return {
    schema: { anyOf: classes.map(({ definition }) => refTo(componentOf(definition.name))) },
    examples: Object.fromEntries(examples),
  };
}

function changeSchema({ definition, attributes }: ModelClass): SchemaObject {
  const properties = Array.from(
    attributes.values(),
    (attribute) => [attribute.name, givenAttributeSchema(attribute)] as const,
  );
  return {
    title: `${definition.name}, changed`,
    type: "object",
    properties: Object.fromEntries(properties),
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
