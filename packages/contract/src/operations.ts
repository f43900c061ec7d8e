import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { emptyResponse } from "./envelope.ts";

/** Headings of the API descriptions, in reading order. */
export const tags = [
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

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Credentials that an operation requires:
 *
 * - `public`: none.
 * - `appKey`: an app key.
 * - `secrets`: an app key, and credentials in the body.
 * - `navigation`: as `secrets`. The query may have the app key, because browser navigation cannot set headers.
 * - `session`: a session with an app key. For operations below `/admin/`, of an administrator.
 * - `optional`: as `session`, `appKey` or `public`, depending on the presented credentials.
 * - `ticket`: a single-use ticket in the body, which the machine of the server has issued.
 * - `address`: what the address carries: the state of a log-in that was started before, or a signature.
 */
export type Access = "public" | "appKey" | "secrets" | "navigation" | "session" | "optional" | "ticket" | "address";

/**
 * Rights of an administrator on the operations below `/admin/`:
 *
 * - `all`: all of them. Only this right also frees from the rights on classes and objects.
 * - `view`: those that read, but not the audit.
 * - `audit`: the audit, and the names that it needs.
 */
export const administrationRights = ["all", "view", "audit"] as const;

export type AdministrationRights = (typeof administrationRights)[number];

/** A body of JSON. */
export interface JsonBody {
  readonly json: z.ZodType;
  /** Precedence of the codes of invalid fields. */
  readonly order?: readonly ErrorCode[];
  /** The one of several forms that a given body has. */
  readonly choose?: (body: Readonly<Record<string, unknown>>) => Pick<JsonBody, "json" | "order">;
  /** Accepts any JSON instead of objects only. */
  readonly any?: true;
  /** The body is optional. The schema then gets `undefined`. */
  readonly optional?: true;
  /** Maximum size in bytes. Default: 1 MiB. */
  readonly limit?: number;
  /** Throws 307 over the limits of JSON. Default: `checkJsonLimits`. For a body whose parts are values of their own. */
  readonly checkLimits?: (body: unknown) => void;
  readonly form?: undefined;
  readonly stream?: undefined;
}

/** A body in one of two forms. */
export function eitherBody<Plain extends z.ZodType, Other extends z.ZodType>(
  plain: { readonly json: Plain; readonly order: readonly ErrorCode[] },
  other: { readonly json: Other; readonly order: readonly ErrorCode[] },
  isOther: (body: Readonly<Record<string, unknown>>) => boolean,
) {
  const choose: JsonBody["choose"] = (body) => (isOther(body) ? other : plain);
  return { json: z.union([plain.json, other.json]), choose };
}

/** An urlencoded form. */
export interface FormBody {
  readonly form: z.ZodObject;
  /** Values of path parameters, in lower case, that accept a body. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  readonly optional?: undefined;
  readonly limit?: undefined;
  readonly json?: undefined;
  readonly stream?: undefined;
}

/** Media types of bodies that are read as a stream. */
export const streamTypes = { multipart: "multipart/form-data", bytes: "application/octet-stream" } as const;

export type StreamType = (typeof streamTypes)[keyof typeof streamTypes];

/** A body that is read as a stream, after all checks. */
export interface StreamBody {
  /** Accepted media types. */
  readonly stream: readonly StreamType[];
  /** The body is optional. */
  readonly optional?: true;
  readonly limit?: undefined;
  readonly json?: undefined;
  readonly form?: undefined;
}

/** An envelope that is encrypted for the client outside a secure session. */
export interface SealedAnswer {
  /** Schema of `data` inside. */
  readonly sealed: z.ZodType;
  /** Description of the encryption, in Markdown. */
  readonly how: string;
  /** Whether every success is encrypted. */
  readonly always: boolean;
}

/** A command of administrators that is a plain call. Its arguments, options and columns follow from the schemas. */
export interface PlainCommand {
  /** Noun and verb, such as `group list`. */
  readonly name: string;
  /** Imperative, such as `list groups`. */
  readonly help: string;
  /** A sentence about a success, with path parameters and members of `data` in braces. Default: the command shows `data`. */
  readonly done?: string;
  /** Members of an item or of `data` that the command shows, in this order. Default: all that are values, a name first. */
  readonly columns?: readonly string[];
}

/** An operation as it is declared. */
export interface Declaration {
  readonly method: Method;
  /** Relative to the alias, with parameters in braces. Below `/admin/` it is for administrators, with an app key of scope `admin`. */
  readonly path: string;
  readonly access: Access;
  /** Accepts TLS and loopback only, also if the configuration allows plain HTTP. */
  readonly secureOnly?: true;
  /** Needs a recent proof of the administrator's password or factor. */
  readonly proof?: true;
  /**
   * Rights of administrators, one of which it takes. Default: `all`, and `audit` under the heading Audit, or `view` if it
   * only reads.
   */
  readonly rights?: readonly AdministrationRights[];
  /** Can be called in an enrolment session. */
  readonly enrolling?: true;
  /**
   * Effect, if the method does not tell: `read` or `write`, a change of the `model`, which cannot share a transaction, the
   * execution of a `macro`, or the end of the session.
   */
  readonly effect?: "read" | "write" | "model" | "macro" | "endsSession";
  /** `false` excludes it from multi requests. Default: excluded if an item cannot have its credentials, body or answer. */
  readonly inMulti?: false;
  /** Evaluates `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Has transactions of its own. A key then belongs to the person, or to the session that has the effect. */
  readonly apart?: "person" | "session";
  readonly summary: string;
  /** In Markdown. */
  readonly description?: string;
  /** Headers that it evaluates, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: z.ZodObject;
  readonly body?: JsonBody | FormBody | StreamBody;
  /** Schema of `data` on success, or of the document. Default: an empty object. */
  readonly data?: z.ZodType;
  /**
   * Answer on success. Default: an envelope. A `document` and a `file`, whole or in part, have no envelope. With
   * `mayRedirect` it depends on the request.
   */
  readonly answer?: "document" | "file" | "redirect" | "mayRedirect" | SealedAnswer;
  /** A success can carry an `ETag` with the version of its `data`. */
  readonly versioned?: true;
  /** Evaluates `If-Match`. */
  readonly conditional?: true;
  /**
   * A success is compressed for clients that accept it, outside secure sessions. Not where it holds a credential, key, code,
   * second factor, link or token: an attacker who sees lengths and influences other parts of the answer could guess it.
   */
  readonly compressed?: true;
  /** Of an operation for administrators. Other commands have an entry in `apps/cli`, or none. */
  readonly command?: PlainCommand;
  /** Error codes besides those of the checks before. */
  readonly errors?: readonly ErrorCode[];
}

/** An operation of the API: a method on a path. */
export interface Operation extends Omit<Declaration, "inMulti"> {
  /** `operationId` of the API description. */
  readonly id: string;
  readonly tag: TagName;
  readonly administration: boolean;
  /** Empty if it is not for administrators. */
  readonly rights: readonly AdministrationRights[];
  readonly inMulti: boolean;
  readonly data: z.ZodType;
  readonly errors: readonly ErrorCode[];
}

type Added = "id" | "inMulti" | "errors" | "rights";

/** Operations by id, each with the types of its declaration. */
export type Operations<Declared> = {
  readonly [Id in keyof Declared & string]: Omit<Operation, Exclude<keyof Declared[Id], Added> | "data"> &
    Omit<Declared[Id], Added> & {
      readonly data: Declared[Id] extends { readonly data: infer Data } ? Data : typeof emptyResponse;
    };
};

/** Declares the operations under a heading of the API description. Their names are the ids. */
export function operations<const Declared extends Readonly<Record<string, Declaration>>>(
  tag: TagName,
  declared: Declared,
): Operations<Declared> {
  const entries = Object.entries(declared).map(([id, declaration]): [string, Operation] => [
    id,
    {
      data: emptyResponse,
      errors: [],
      rights: rightsFor(tag, declaration),
      ...declaration,
      id,
      tag,
      administration: declaration.path.startsWith("/admin/"),
      inMulti: declaration.inMulti ?? fitsItem(declaration),
    },
  ]);
  return Object.fromEntries(entries) as unknown as Operations<Declared>;
}

/** What is new takes `all`, unless it only reads. */
function rightsFor(tag: TagName, { path, access, ...declaration }: Declaration): readonly AdministrationRights[] {
  if (!path.startsWith("/admin/") || access !== "session") return [];
  if (tag === "Audit") return ["all", "audit"];
  return onlyReads(declaration) ? ["all", "view"] : ["all"];
}

/** Whether an item of a multi request can have the credentials, the body and the answer. */
function fitsItem({ access, body, answer }: Declaration): boolean {
  const needsBytes = body?.stream !== undefined && body.optional !== true;
  const isEnveloped = answer === undefined;
  return ["public", "appKey", "session", "optional"].includes(access) && !needsBytes && isEnveloped;
}

/** Whether an operation only reads. */
export function onlyReads({ method, effect }: Pick<Declaration, "method" | "effect">): boolean {
  return effect === "read" || (method === "GET" && effect !== "write");
}

/** Whether an operation requires a body of JSON or a form. */
export function needsBody({ body }: Pick<Operation, "body">): boolean {
  return body !== undefined && body.stream === undefined && body.optional !== true;
}

/** Whether an operation can be called in a session of any mode, and therefore in a secure one. */
export function takesSession({ access, administration }: Pick<Operation, "access" | "administration">): boolean {
  return !administration && (access === "session" || access === "optional");
}

/** Whether an operation needs an app key. */
export function needsAppKey({ access }: Pick<Operation, "access">): boolean {
  return access !== "public" && access !== "address" && access !== "ticket";
}

const anyOperation: readonly ErrorCode[] = [304, 305, 307, 607, 699, 704, 705, 706, 799, 800];

const byAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  address: [],
  ticket: [],
  appKey: [100, 101],
  secrets: [100, 101],
  navigation: [100, 101],
  session: [100, 101, 200, 201, 202, 203, 204, 207, 312, 314, 340, 801],
  optional: [100, 101, 201, 203, 207, 312, 314, 340, 801],
};

/** Codes of secure sessions and of those that enrol a second factor. */
const ofOtherModes: ReadonlySet<ErrorCode> = new Set([312, 314, 340]);

const byBody = { json: [207, 311, 801], form: [207, 801], stream: [] } as const;

/** All error codes of an operation, including those of the checks before it, in ascending order. */
export function declaredErrors(operation: Operation): ErrorCode[] {
  const { access, administration, rights, body, proof, errors } = operation;
  const codes: ErrorCode[] = [...anyOperation, ...errors];
  codes.push(...byAccess[access].filter((code) => !administration || !ofOtherModes.has(code)));
  if (body !== undefined) {
    codes.push(...byBody[body.json === undefined ? (body.form === undefined ? "stream" : "form") : "json"]);
    if (body.optional !== true) codes.push(300);
    if (body.stream === undefined && takesSession(operation)) codes.push(312);
  }
  if (rights.length > 0 && rights.length < administrationRights.length) codes.push(404);
  if (proof === true) codes.push(802);
  return [...new Set(codes)].toSorted((a, b) => a - b);
}
