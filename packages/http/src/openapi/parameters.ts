import type { ReadableClasses } from "@sallyport/core";
import type { z } from "zod";
import type { Route } from "../routes/route.ts";
import { takesSession } from "../routes/declared-errors.ts";
import type { ParameterObject, SchemaObject } from "./open-api.ts";
import type { SchemaComponents } from "./schema-components.ts";
import { classesFor } from "./written-classes.ts";

/** Names that path parameters can take, as far as they are known. */
export interface KnownNames {
  readonly classes: ReadableClasses | undefined;
  readonly macros: readonly string[];
}

/** The parameters of a route: first those of the path, then those of the query string, then headers. */
export function parametersOf(route: Route, components: SchemaComponents, known: KnownNames): ParameterObject[] {
  return [...pathParameters(route, known), ...queryParameters(route, components), ...headerParameters(route)];
}

function pathParameters({ path, method }: Route, { classes, macros }: KnownNames): ParameterObject[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = ""]) => {
    const isClass = name === "className" || (name === "idOrClass" && method === "POST");
    const classNames =
      isClass && classes !== undefined ? classesFor(method, classes).map(({ definition }) => definition.name) : [];
    const names = name === "macroName" ? macros : classNames;
    const schema = names.length === 0 ? { type: "string", minLength: 1 } : { type: "string", enum: names };
    return { name, in: "path", required: true, schema };
  });
}

function queryParameters({ query }: Route, components: SchemaComponents): ParameterObject[] {
  if (query === undefined) return [];
  // Everything in a query string is text. What the text stands for is what the schema makes of it.
  const { properties } = components.describe(query, "output");
  return Object.entries(properties as Record<string, SchemaObject>).map(
    ([name, { description, examples, ...schema }]) => ({
      name,
      in: "query",
      required: !(query as z.ZodObject).shape[name]?.safeParse(undefined).success,
      ...(description === undefined ? {} : { description: String(description) }),
      ...(schema["type"] === "object"
        ? { content: { "application/json": { schema, ...exampleOf(examples) } } }
        : { schema }),
    }),
  );
}

/** Without one, tools that try a request out send something made up that fits the schema, but means nothing. */
function exampleOf(examples: unknown): { example: unknown } | undefined {
  return Array.isArray(examples) && examples.length > 0 ? { example: examples[0] } : undefined;
}

/** Credentials are no parameters in OpenAPI, but security schemes. */
function headerParameters(route: Route): ParameterObject[] {
  const parameters: ParameterObject[] = [];
  if (route.conditional === true)
    parameters.push(
      header(
        "If-Match",
        "`ETag` of the version that is to be changed, or several of them. Another one is not changed.",
      ),
    );
  if (takesSession(route) && route.body !== undefined) {
    parameters.push(
      header("Encrypted", "With an encrypted body: `v=1;iv=` and base64 of the counter block that it begins with."),
    );
  }
  return parameters;
}

function header(name: string, description: string): ParameterObject {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
