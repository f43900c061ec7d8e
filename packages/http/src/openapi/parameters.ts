import type { Route } from "../routes/route.ts";
import type { ParameterObject, SchemaObject } from "./open-api.ts";
import type { SchemaComponents } from "./schema-components.ts";

/** The parameters of a route: first those of the path, then those of the query string, then headers. */
export function parametersOf(route: Route, components: SchemaComponents): ParameterObject[] {
  return [...pathParameters(route), ...queryParameters(route, components), ...headerParameters(route)];
}

function pathParameters({ path }: Route): ParameterObject[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => {
    return { name: name as string, in: "path", required: true, schema: { type: "string", minLength: 1 } };
  });
}

function queryParameters({ query }: Route, components: SchemaComponents): ParameterObject[] {
  if (query === undefined) return [];
  // Everything in a query string is text. What the text stands for is what the schema makes of it.
  const { properties } = components.describe(query, "output");
  return Object.entries(properties as Record<string, SchemaObject>).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: false,
    ...(description === undefined ? {} : { description: String(description) }),
    ...(schema["type"] === "object" ? { content: { "application/json": { schema } } } : { schema }),
  }));
}

/** Credentials are no parameters in OpenAPI, but security schemes. */
function headerParameters({ access, body }: Route): ParameterObject[] {
  if (access !== "session" || body === undefined) return [];
  const description = "With an encrypted body: `v=1;iv=` and base64 of the counter block that it begins with.";
  return [{ name: "Encrypted", in: "header", required: false, description, schema: { type: "string" } }];
}
