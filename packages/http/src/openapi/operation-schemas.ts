import {
  declaredErrors,
  emptyResponse,
  encryptedMessage,
  envelopeOf,
  failureEnvelope,
  onlyReads,
  type Operation,
  type SealedAnswer,
  takesSession,
} from "@sallyport/contract";
import { type ErrorCode, errorEntry } from "@sallyport/storage";
import { type ExecutableMacro, type ReadableClasses } from "@sallyport/core";
import * as z from "zod";
import { classesFor } from "./class-schemas.ts";
import type { Content, ParameterObject, Reference, ResponseObject, SchemaObject } from "./open-api.ts";

/** Side of a schema to describe: request input or response output. */
type Side = "input" | "output";

/** A schema as JSON Schema, and the named schemas that it refers to. */
interface ConvertedSchema {
  readonly root: SchemaObject;
  readonly components: readonly (readonly [id: string, definition: SchemaObject])[];
}

/** Conversions of all documents: most schemas occur in many operations, and a conversion takes most of a millisecond. */
const conversions = {
  input: new WeakMap<z.ZodType, ConvertedSchema>(),
  output: new WeakMap<z.ZodType, ConvertedSchema>(),
};

function convert(schema: z.ZodType, side: Side): ConvertedSchema {
  const cached = conversions[side].get(schema);
  if (cached !== undefined) return cached;
  // Zod creates references only for nested schemas, not at the root.
  const { properties, $defs } = z.toJSONSchema(z.object({ root: schema }), { io: side, override: tidy });
  const components = Object.entries($defs ?? {}).map(([id, each]) => [id, relocated(each) as SchemaObject] as const);
  const converted = { root: relocated(properties?.["root"]) as SchemaObject, components };
  conversions[side].set(schema, converted);
  return converted;
}

const envelopes = new WeakMap<z.ZodType, z.ZodType>();

/** The envelope of a response, the same schema for the same data. */
function envelopeFor(data: z.ZodType): z.ZodType {
  const cached = envelopes.get(data) ?? envelopeOf(data);
  envelopes.set(data, cached);
  return cached;
}

/** Converts Zod schemas to JSON Schema. A schema with an id becomes a named component. */
export class SchemaComponents {
  private readonly components = new Map<string, SchemaObject>();

  /** The schema or a reference to it. Throws if two schemas share an id. */
  describe(schema: z.ZodType, side: Side): SchemaObject {
    const { root, components } = convert(schema, side);
    for (const [id, definition] of components) this.add(id, definition);
    return root;
  }

  /** All components so far, by name. */
  all(): Record<string, SchemaObject> {
    const byName = [...this.components].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byName);
  }

  private add(id: string, definition: SchemaObject): void {
    const cached = this.components.get(id);
    if (cached !== undefined && cached !== definition && JSON.stringify(cached) !== JSON.stringify(definition)) {
      throw new Error(`Several schemas have the id ${id}.`);
    }
    this.components.set(id, definition);
  }
}

/** Removes constraints that would block future response members, and redundant bounds. */
const tidy: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === "object" && !("catchall" in def && def.catchall)) delete jsonSchema.additionalProperties;
  // Every JSON member name is a string.
  if (def.type === "record") delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Copies a value and points its references to the components of the document. */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "id" || !("$ref" in value));
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      name === "$ref" ? String(member).replace("#/$defs/", "#/components/schemas/") : relocated(member),
    ]),
  );
}

/** Known values of path parameters. */
export interface KnownNames {
  readonly classes: ReadableClasses | undefined;
  readonly macros: readonly ExecutableMacro[];
}

/** Parameters of an operation: path, then query, then headers. */
export function parametersOf(operation: Operation, components: SchemaComponents, names: KnownNames): ParameterObject[] {
  return [
    ...pathParameters(operation, names),
    ...queryParameters(operation, components),
    ...headerParameters(operation),
  ];
}

function pathParameters(operation: Operation, { classes, macros }: KnownNames): ParameterObject[] {
  const { path } = operation;
  const method = onlyReads(operation) ? "GET" : operation.method;
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = ""]) => {
    const isClass = name === "className" || (name === "idOrClass" && method === "POST");
    const classNames =
      isClass && classes !== undefined ? classesFor(method, classes).map(({ definition }) => definition.name) : [];
    const names = name === "macroName" ? macros.map((macro) => macro.name) : classNames;
    const schema = names.length === 0 ? { type: "string", minLength: 1 } : { type: "string", enum: names };
    return { name, in: "path", required: true, schema };
  });
}

function queryParameters({ query }: Operation, components: SchemaComponents): ParameterObject[] {
  if (query === undefined) return [];
  components.describe(query, "output");
  return Object.entries(describedProperties(query)).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: "query",
    required: !(query as z.ZodObject).shape[name]?.safeParse(undefined).success,
    ...(description === undefined ? {} : { description: String(description) }),
    ...(schema["type"] === "object"
      ? { content: { "application/json": { schema, ...exampleOf(examples) } } }
      : { schema }),
  }));
}

/** The query parameters of an operation, by name. They are text on the wire. The schema of the parsed value is described. */
export function describedProperties(query: z.ZodObject): Record<string, SchemaObject> {
  return convert(query, "output").root["properties"] as Record<string, SchemaObject>;
}

/** Without an example, API explorers send generated values that match the schema but make no sense. */
function exampleOf(examples: unknown): { example: unknown } | undefined {
  return Array.isArray(examples) && examples.length > 0 ? { example: examples[0] } : undefined;
}

/** OpenAPI treats credentials as security schemes, not as parameters. */
function headerParameters(operation: Operation): ParameterObject[] {
  const parameters: ParameterObject[] = [];
  if (operation.conditional === true)
    parameters.push(
      header("If-Match", "One or more `ETag` values. The request fails if the current version has another one."),
    );
  if (operation.idempotent === true)
    parameters.push(
      header(
        "Idempotency-Key",
        "1 to 128 printable ASCII characters, chosen for this request. A repetition within 24 hours gets the result of the first request, without another effect.",
      ),
    );
  for (const [name, description] of Object.entries(operation.headers ?? {})) parameters.push(header(name, description));
  if (takesSession(operation) && operation.body !== undefined) {
    parameters.push(
      header("Encrypted", "Required with an encrypted body: `v=1;iv=` and base64 of the initial counter block."),
    );
  }
  return parameters;
}

function header(name: string, description: string): ParameterObject {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

const json = "application/json";

/** Codes that can carry `Retry-After`: lockouts and every 503. */
const withRetryAfter: ReadonlySet<ErrorCode> = new Set<ErrorCode>([302, 326, 339, 342, 607, 706, 800]);

const withAllow: ReadonlySet<ErrorCode> = new Set<ErrorCode>([305]);

/** All responses of an operation by HTTP status: the success and the declared failures. */
export function responsesOf(operation: Operation, components: SchemaComponents): Record<string, ResponseObject> {
  const responses = successesOf(operation, components);
  for (const [status, codes] of byStatus(declaredErrors(operation)))
    responses[status] = failure(operation, codes, components);
  return responses;
}

function successesOf(operation: Operation, components: SchemaComponents): Record<string, ResponseObject> {
  const { answer } = operation;
  if (answer === "file") return files(takesSession(operation));
  const redirect = () => success({ ...operation, data: emptyResponse, answer: "redirect" }, components);
  if (answer === "redirect") return { 302: redirect() };
  return { 200: success(operation, components), ...(answer === "mayRedirect" ? { 302: redirect() } : {}) };
}

function success(operation: Operation, components: SchemaComponents): ResponseObject {
  const { data, answer, versioned, compressed } = operation;
  const sealed = typeof answer === "object" ? answer : undefined;
  const redirects = answer === "redirect" || undefined;
  const isDocument = answer === "document";
  return {
    description: isDocument
      ? "Success, without an envelope."
      : `Success: \`status.internalStatus\` is \`0\`.${redirects === true ? " Redirects the browser." : ""}`,
    headers: {
      ...headers([], isEncrypted(operation)),
      ...named("ETag", versioned),
      ...named("Content-Encoding", compressed),
      ...named("Location", redirects),
      ...named("Set-Cookie", redirects),
    },
    content: {
      ...(sealed?.always
        ? {}
        : { [json]: { schema: components.describe(isDocument ? data : envelopeFor(data), "output") } }),
      ...(sealed === undefined ? {} : { "text/plain": { schema: sealedText(sealed, components) } }),
      ...messages(operation, components),
    },
  };
}

/** The answers with a file: whole, a range, or none because the client has it. */
function files(encrypted: boolean): Record<string, ResponseObject> {
  const file = headers([], encrypted);
  const ofBytes = (description: string, ...names: readonly string[]): ResponseObject => ({
    description,
    headers: Object.assign({ ...file }, ...["ETag", "Accept-Ranges", ...names].map((name) => named(name, true))),
    content: {
      "application/octet-stream": {
        schema: { description: encrypted ? "The bytes, or raw ciphertext." : "The bytes." },
      },
    },
  });
  return {
    200: ofBytes("The file, with its media type if browsers run nothing of it.", "Content-Disposition"),
    206: ofBytes("The range.", "Content-Disposition", "Content-Range"),
    304: {
      description: "The client has the file.",
      headers: { ...headers([], false), ...named("ETag", true) },
      content: {},
    },
  };
}

function named(name: string, present: true | undefined): Record<string, Reference> {
  return present === true ? { [name]: { $ref: `#/components/headers/${name}` } } : {};
}

/** Encrypted text with an envelope inside. */
function sealedText({ sealed, how }: SealedAnswer, components: SchemaComponents): SchemaObject {
  const contentSchema = components.describe(envelopeFor(sealed), "output");
  return { type: "string", description: `${how} Plaintext:`, contentMediaType: json, contentSchema };
}

/** Content that replaces JSON in a secure session. */
function messages(operation: Operation, components: SchemaComponents): Content {
  return takesSession(operation)
    ? { "application/text": { schema: components.describe(encryptedMessage, "output") } }
    : {};
}

function isEncrypted(operation: Operation): boolean {
  return takesSession(operation) || typeof operation.answer === "object";
}

function failure(operation: Operation, codes: readonly ErrorCode[], components: SchemaComponents): ResponseObject {
  const lines = codes.map((code) => `- \`${code}\` ${errorEntry(code).name}: ${errorEntry(code).condition}`);
  const internalStatus = { enum: codes.map(String) };
  return {
    description: lines.join("\n"),
    headers: headers(codes, takesSession(operation)),
    content: {
      [json]: {
        schema: {
          allOf: [
            components.describe(failureEnvelope, "output"),
            { properties: { status: { properties: { internalStatus } } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
      ...messages(operation, components),
    },
  };
}

function headers(codes: readonly ErrorCode[], encrypted: boolean): Record<string, Reference> {
  const names = ["X-Request-Id"];
  if (encrypted) names.push("Encrypted");
  if (codes.some((code) => withRetryAfter.has(code))) names.push("Retry-After");
  if (codes.some((code) => withAllow.has(code))) names.push("Allow");
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorEntry(code);
    grouped.set(status, [...(grouped.get(status) ?? []), code]);
  }
  return grouped;
}
