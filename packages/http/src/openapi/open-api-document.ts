import {
  type Access,
  administrationRights,
  attributesRequest,
  declaredErrors,
  encryptedMessage,
  failureEnvelope,
  type JsonBody,
  keySetResponse,
  needsBody,
  type Operation,
  type StreamBody,
  type StreamType,
  type TagName,
  takesSession,
} from "@sallyport/contract";
import { type ErrorCode, errorEntry } from "@sallyport/storage";
import { type Database, type ExecutableMacro, type Model, type ReadableClasses } from "@sallyport/core";
import { keySetPath, keySetType } from "../database-keys.ts";
import type { HttpSettings } from "../http-settings.ts";
import { classSchemas, requestBody, requestSchemas } from "./class-schemas.ts";
import { macroBody, macroSchemas } from "./macro-bodies.ts";
import {
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type PathItemObject,
  tagsOf,
} from "./open-api.ts";
import { type KnownNames, parametersOf, responsesOf, SchemaComponents } from "./operation-schemas.ts";

/** Caller-specific part of a description. */
interface DescribedCaller {
  /** The classes that the caller can read. */
  readonly classes: ReadableClasses;
  /** The macros that the caller can execute. */
  readonly macros: readonly ExecutableMacro[];
}

export interface OpenApiParts extends Partial<DescribedCaller> {
  readonly operations: readonly Operation[];
  readonly title: string;
  readonly version: string;
  /** Path prefix without a trailing slash; empty for none. */
  readonly basePath: string;
  /** Alias of the only database to describe; any database by default. */
  readonly alias?: string;
}

const description = [
  "Every response is an envelope with `status` and, on success, `data`.",
  "`status.internalStatus` is `0` on success, otherwise an error code. Each code has one HTTP status.",
  "The log-in determines which of three credentials a session uses. All request and response bodies of a secure session are encrypted.",
].join(" ");

const administrationDescription = [
  "Every response is an envelope with `status` and, on success, `data`.",
  "`status.internalStatus` is `0` on success, otherwise an error code. Each code has one HTTP status.",
  "All routes need an app key of scope `admin`, which opens no other routes, and the session of an administrator.",
  "A request that replaces something needs `If-Match` with the `ETag` of the last read.",
].join(" ");

const security: Readonly<Record<Access, OperationObject["security"]>> = {
  public: [],
  address: [],
  ticket: [],
  appKey: [{ appKey: [] }],
  secrets: [{ appKey: [] }],
  navigation: [{ appKey: [] }, { appKeyInQuery: [] }],
  session: [
    { appKey: [], sessionId: [] },
    { appKey: [], token: [] },
    { appKey: [], secureToken: [] },
  ],
  optional: [{}, { appKey: [], sessionId: [] }, { appKey: [], token: [] }, { appKey: [], secureToken: [] }],
};

function securityOf({ access, administration }: Operation): OperationObject["security"] {
  // Administrators have session ids only.
  return administration && access === "session" ? security.session.slice(0, 1) : security[access];
}

/** Generates the API description from the operations. The result is deterministic. */
export function openApiDocument({
  operations,
  title,
  version,
  basePath,
  alias,
  classes,
  macros = [],
}: OpenApiParts): OpenApiDocument {
  const components = new SchemaComponents();
  const paths: Record<string, PathItemObject> = {};
  const isAdministration = operations.some(({ administration }) => administration);
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationOf(operation, components, { classes, macros }),
    };
  }
  if (!isAdministration) paths[keySetPath] = keySetItem(basePath, components);
  return {
    openapi: "3.1.1",
    info: { title, version, description: isAdministration ? administrationDescription : description },
    servers: servers(basePath, alias),
    tags: tagsOf([...(isAdministration ? [] : [keySetTag]), ...operations.map(({ tag }) => tag)]),
    paths,
    components: {
      schemas: { ...schemas(components, classes), ...macroSchemas(macros) },
      examples: examples(operations),
      headers: {
        "X-Request-Id": {
          description: "Request id, as in the server log. A valid id from the client is used.",
          schema: { type: "string" },
        },
        "Retry-After": {
          description: "Seconds to wait before a retry.",
          schema: { type: "integer", minimum: 1 },
        },
        Encrypted: {
          description:
            "`v=1`, in a secure session with `;iv=` and base64 of the initial counter block. Absent if the response is not encrypted.",
          schema: { type: "string" },
        },
        Location: { description: "URL of the redirect.", schema: { type: "string" } },
        "Set-Cookie": { description: "State of the log-in for the callback.", schema: { type: "string" } },
        "Content-Encoding": {
          description:
            "`gzip` or `zstd`, if the response has 4 KiB or more and the request accepts it. Absent in secure sessions.",
          schema: { type: "string" },
        },
        "Accept-Ranges": { description: "`bytes`.", schema: { type: "string" } },
        "Content-Disposition": { description: "`attachment` with the name of the file.", schema: { type: "string" } },
        "Content-Range": {
          description: "The range of the answer and the size of the file: `bytes 0-1023/4096`.",
          schema: { type: "string" },
        },
        ETag: {
          description:
            "Version for `If-Match`, in a compressed response with its coding, or the tag of the bytes of a file.",
          schema: { type: "string" },
        },
        Allow: { description: "Methods that the path supports.", schema: { type: "string" } },
      },
      securitySchemes,
    },
  };
}

const securitySchemes: OpenApiDocument["components"]["securitySchemes"] = {
  appKey: { type: "apiKey", in: "header", name: "appkey", description: "App key of the client application." },
  appKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "appkey",
    description: "App key of the client application, for navigation in browsers, which cannot set headers.",
  },
  sessionId: { type: "apiKey", in: "header", name: "sessionId", description: "`data.sessionId` of `POST /v1/login`." },
  token: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "`data.token` of `POST /v2/login`. The prefix `Bearer` is optional.",
  },
  secureToken: {
    type: "apiKey",
    in: "header",
    name: "Secure-Token",
    description: "`data.sessionId` of `POST /v2/login/secure`.",
  },
};

function operationOf(operation: Operation, components: SchemaComponents, names: KnownNames): OperationObject {
  const parameters = parametersOf(operation, components, names);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...descriptionOf(operation),
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(operation, components, names),
    responses: responsesOf(operation, components),
  };
}

/** Says which rights an operation takes, unless it takes any. */
function descriptionOf(operation: Operation): Pick<OperationObject, "description"> {
  const { rights } = operation;
  const isLimited = rights.length > 0 && rights.length < administrationRights.length;
  const taken = isLimited ? [`Rights: ${rights.map((each) => `\`${each}\``).join(" or ")}.`] : [];
  const sentences = [operation.description ?? [], taken].flat();
  return sentences.length === 0 ? {} : { description: sentences.join(" ") };
}

function requestBodyOf(
  operation: Operation,
  components: SchemaComponents,
  names: KnownNames,
): Pick<OperationObject, "requestBody"> {
  const { body } = operation;
  if (body === undefined) return {};
  if (body.stream !== undefined) return { requestBody: streamOf(body) };
  const [type, content] =
    body.json === undefined
      ? ["application/x-www-form-urlencoded", { schema: components.describe(body.form, "input") }]
      : ["application/json", jsonOf(operation, body, components, names)];
  const encrypted = () => ({ "application/text": { schema: components.describe(encryptedMessage, "input") } });
  return {
    requestBody: {
      required: needsBody(operation),
      content: { [type]: content, ...(takesSession(operation) ? encrypted() : {}) },
    },
  };
}

const fileForm = {
  type: "object",
  properties: { file: { type: "string", contentMediaType: "application/octet-stream" } },
  description: "A form with one file. In a secure session the whole body is raw ciphertext.",
};

/** In OpenAPI 3.1, bytes have no schema but their media type. */
const fileBytes = { description: "The bytes. In a secure session raw ciphertext." };

function streamOf({ stream, optional }: StreamBody): NonNullable<OperationObject["requestBody"]> {
  const schemaOf = (type: StreamType) => (type === "multipart/form-data" ? fileForm : fileBytes);
  return {
    required: optional !== true,
    content: Object.fromEntries(stream.map((type) => [type, { schema: schemaOf(type) }])),
  };
}

function jsonOf(
  { method, effect }: Operation,
  { json }: JsonBody,
  components: SchemaComponents,
  { classes, macros }: KnownNames,
): MediaTypeObject {
  const general = { schema: components.describe(json, "input") };
  if (effect === "macro") return macroBody(macros) ?? general;
  return json === attributesRequest && classes !== undefined ? (requestBody(method, classes) ?? general) : general;
}

function schemas(
  components: SchemaComponents,
  classes: ReadableClasses | undefined,
): OpenApiDocument["components"]["schemas"] {
  const general = components.all();
  const anyObject = general["Object"];
  return classes === undefined || anyObject === undefined
    ? general
    : { ...general, ...classSchemas(classes, anyObject), ...requestSchemas(classes) };
}

function servers(basePath: string, alias: string | undefined): OpenApiDocument["servers"] {
  if (alias !== undefined)
    return [{ url: [basePath, ...(alias === "" ? [] : [alias])].join("/") || "/", description: "This database." }];
  return [
    { url: basePath === "" ? "/" : basePath, description: "The database with the empty alias." },
    {
      url: `${basePath}/{alias}`,
      description: "A database with an alias.",
      variables: { alias: { default: "second", description: "Alias of the database." } },
    },
  ];
}

function examples(operations: readonly Operation[]): OpenApiDocument["components"]["examples"] {
  const codes = [...new Set<ErrorCode>(operations.flatMap(declaredErrors))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    codes.map((code) => {
      const { name } = errorEntry(code);
      return [code, { summary: name, value: { status: { internalStatus: String(code), statusMessage: name } } }];
    }),
  );
}

const keySetTag: TagName = "Service";

/** The operation of the key set. It belongs to the server, not to a database. */
function keySetItem(basePath: string, components: SchemaComponents): PathItemObject {
  const headers = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  const root = { url: "/", description: "The server, for all databases." };
  return {
    servers: basePath === "" ? [root] : [root, { url: basePath, description: "The server below the base path." }],
    get: {
      operationId: "getKeySet",
      tags: [keySetTag],
      summary: "Get the public keys of tokens",
      description:
        "Verifies the tokens of all databases. Fetch the keys over HTTPS. The response has no envelope. The claim `aud` of a token is the `databaseName` of the log-in. A valid signature does not mean that the session is active.",
      security: [],
      responses: {
        200: {
          description: "The public keys.",
          headers,
          content: { [keySetType]: { schema: components.describe(keySetResponse, "output") } },
        },
        default: {
          description: "A failure in an envelope.",
          headers,
          content: { "application/json": { schema: components.describe(failureEnvelope, "output") } },
        },
      },
    },
  };
}

/** Maximum number of cached caller descriptions per model. A description with many classes takes about 1 MB. */
const cacheSize = 20;

/** API descriptions of the databases as text. */
export class DatabaseDescriptions {
  private readonly general = new Map<string, string>();
  private readonly cached = new WeakMap<Model, Map<string, string>>();

  constructor(private readonly operations: readonly Operation[]) {}

  /** The public description, or that of a caller with the caller's classes and macros. */
  of({ alias }: Database, settings: HttpSettings, caller?: DescribedCaller): string {
    const { applicationName: title, applicationVersion: version, basePath } = settings;
    const texts = caller === undefined ? this.general : this.textsFor(caller.classes.model);
    const key = caller === undefined ? alias : rightsOf(caller);
    const cached = texts.get(key);
    if (cached !== undefined) return cached;
    const parts = { operations: this.operations, title, version, basePath, alias, ...caller };
    const text = JSON.stringify(openApiDocument(parts));
    if (caller !== undefined && texts.size >= cacheSize) texts.clear();
    texts.set(key, text);
    return text;
  }

  private textsFor(model: Model): Map<string, string> {
    const texts = this.cached.get(model) ?? new Map<string, string>();
    this.cached.set(model, texts);
    return texts;
  }
}

function rightsOf({ classes, macros }: DescribedCaller): string {
  const rights = classes.classes.map(({ modelClass, permissions }) => [modelClass.definition.name, permissions]);
  return JSON.stringify([rights, macros]);
}
