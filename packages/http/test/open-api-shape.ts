import { z } from "zod";

/**
 * The shape of an OpenAPI 3.1 document, for the features that the service uses. It is strict: an unknown field is an
 * error, and so is an unknown keyword of JSON Schema.
 */

const componentName = z.string().regex(/^[A-Za-z0-9._-]+$/);
const text = z.string().min(1);

const typeName = z.enum(["null", "boolean", "object", "array", "number", "string", "integer"]);

const jsonSchema: z.ZodType = z.lazy(() =>
  z.strictObject({
    $ref: z.string().startsWith("#/components/schemas/").optional(),
    type: z.union([typeName, z.array(typeName).min(2)]).optional(),
    title: text.optional(),
    description: text.optional(),
    examples: z.array(z.json()).min(1).optional(),
    default: z.json().optional(),
    const: z.json().optional(),
    enum: z.array(z.json()).min(1).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.int().min(0).optional(),
    maxLength: z.int().min(0).optional(),
    pattern: z.string().optional(),
    format: text.optional(),
    items: jsonSchema.optional(),
    minItems: z.int().min(0).optional(),
    maxItems: z.int().min(0).optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), jsonSchema]).optional(),
    allOf: z.array(jsonSchema).min(1).optional(),
    anyOf: z.array(jsonSchema).min(1).optional(),
    oneOf: z.array(jsonSchema).min(1).optional(),
    discriminator: z
      .strictObject({ propertyName: text, mapping: z.record(text, z.string().startsWith("#/components/schemas/")) })
      .optional(),
    contentMediaType: text.optional(),
    contentSchema: jsonSchema.optional(),
  }),
);

const referenceTo = (folder: string) => z.strictObject({ $ref: z.string().startsWith(`#/components/${folder}/`) });

const example = z.strictObject({ summary: text.optional(), value: z.json() });

const content = z.record(
  z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/),
  z.strictObject({
    schema: jsonSchema,
    example: z.json().optional(),
    examples: z.record(componentName, z.union([referenceTo("examples"), example])).optional(),
  }),
);

const parameterBase = { name: text, description: text.optional() };
const parameter = z.union([
  z.strictObject({ ...parameterBase, in: z.literal("path"), required: z.literal(true), schema: jsonSchema }),
  z.strictObject({ ...parameterBase, in: z.literal("query"), required: z.boolean(), schema: jsonSchema }),
  z.strictObject({ ...parameterBase, in: z.literal("query"), required: z.boolean(), content }),
  z.strictObject({ ...parameterBase, in: z.literal("header"), required: z.boolean(), schema: jsonSchema }),
]);

const response = z.strictObject({
  description: text,
  headers: z.record(z.string(), referenceTo("headers")),
  content,
});

const operation = z.strictObject({
  tags: z.array(text).length(1),
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]*$/),
  summary: text,
  description: text.optional(),
  security: z.array(z.record(componentName, z.array(z.string()))),
  parameters: z.array(parameter).min(1).optional(),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string().regex(/^(?:[1-5]\d\d|default)$/), response),
});

const servers = z.array(
  z.strictObject({
    url: text,
    description: text.optional(),
    variables: z
      .record(
        text,
        z.strictObject({ default: text, enum: z.array(text).min(1).optional(), description: text.optional() }),
      )
      .optional(),
  }),
);

const pathItem = z.strictObject({
  servers: servers.min(1).optional(),
  get: operation.optional(),
  put: operation.optional(),
  post: operation.optional(),
  delete: operation.optional(),
  patch: operation.optional(),
});

const description = { description: text.optional() };
const securityScheme = z.union([
  z.strictObject({ type: z.literal("apiKey"), in: z.enum(["header", "query"]), name: text, ...description }),
  z.strictObject({ type: z.literal("http"), scheme: text, bearerFormat: text.optional(), ...description }),
]);

export const openApiShape = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: text, version: text, description: text.optional() }),
  servers,
  tags: z.array(z.strictObject({ name: text, description: text })),
  paths: z.record(z.string().startsWith("/"), pathItem),
  components: z.strictObject({
    schemas: z.record(componentName, jsonSchema),
    examples: z.record(componentName, example),
    headers: z.record(componentName, z.strictObject({ description: text.optional(), schema: jsonSchema })),
    securitySchemes: z.record(componentName, securityScheme),
  }),
});
