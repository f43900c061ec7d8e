/** Tag of operations in the API description. */
interface Tag {
  readonly name: TagName;
  readonly description: string;
}

/** In reading order. */
const tags = [
  { name: "Sessions", description: "Log-in, log-out and session check." },
  { name: "Seats", description: "Licence seats of app names." },
  { name: "Providers", description: "Log-in with external identity providers, and linked accounts." },
  { name: "Custom users", description: "Users without a database account." },
  { name: "Passwords", description: "Password change and reset." },
  { name: "Second factors", description: "Set-up and validation of second factors." },
  { name: "Objects", description: "Business objects: reads, writes, deletion, readers and locks." },
  { name: "Files", description: "Uploads and downloads of files." },
  { name: "Synchronization", description: "Changes for clients that work offline." },
  { name: "Macros", description: "Execution of server-side macros." },
  { name: "Model", description: "The classes of the database." },
  { name: "Service", description: "Service check, API description, public keys and multi requests." },
  { name: "Access", description: "Log-in, log-out and proof of administrators." },
  { name: "Users", description: "Database users and user groups." },
  { name: "Applications", description: "App keys and app names." },
  { name: "Access rules", description: "Devices, bans and app rules." },
  { name: "Audit", description: "The audit, and explanations of refused requests." },
  { name: "Operations", description: "Maintenance, limits, examination, keys and mail." },
] as const;

export type TagName = (typeof tags)[number]["name"];

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
