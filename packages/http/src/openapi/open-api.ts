import { type TagName, tags } from "@sallyport/contract";

/** Heading of operations. */
type Tag = (typeof tags)[number];

/** The tags with these names, in their order. */
export function tagsOf(names: Iterable<TagName>): Tag[] {
  const used = new Set(names);
  return tags.filter(({ name }) => used.has(name));
}

/** A JSON Schema, or a reference to one. */
export type SchemaObject = { readonly [keyword: string]: unknown };

export interface Reference {
  readonly $ref: string;
}

export interface MediaTypeObject {
  readonly schema: SchemaObject;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference | ExampleObject>>;
}

interface ExampleObject {
  readonly summary: string;
  readonly value: unknown;
}

export type Content = Readonly<Record<string, MediaTypeObject>>;

export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema?: SchemaObject;
  /** Replaces `schema` for a parameter with a JSON document as text. */
  readonly content?: Content;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Content;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  /** By HTTP status, or `default` for all others. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The operations of a path by lower-case method, and optional servers. */
export interface PathItemObject {
  readonly servers?: readonly SchemaObject[];
  readonly get?: OperationObject;
  readonly put?: OperationObject;
  readonly post?: OperationObject;
  readonly patch?: OperationObject;
  readonly delete?: OperationObject;
}

/** The part of an OpenAPI 3.1 document that this service uses. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly SchemaObject[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItemObject>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly examples: Readonly<Record<string, ExampleObject>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: SchemaObject }>>;
    readonly securitySchemes: Readonly<Record<string, SchemaObject>>;
  };
}
