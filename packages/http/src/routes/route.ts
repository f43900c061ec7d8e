import type { Digest, ErrorCode, ReadPosition } from "@sallyport/storage";
import type {
  AppKeyContext,
  UnadmittedContext,
  BrowserCookie,
  KeyedRequest,
  MailLanguage,
  OpenedFile,
  RequestContext,
  SessionContext,
  Suspend,
} from "@sallyport/core";
import type { z } from "zod";
import type { TagName } from "../openapi/open-api.ts";
import type { StreamedBody, StreamType } from "../files/streamed-body.ts";
import type { HttpSettings, ItemRecord } from "../server/http-settings.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Result of a use case, to be written as a success. */
export interface Success {
  /** Any JSON, or a `JsonText`. */
  readonly data: unknown;
  /** Replaces `ok`. */
  readonly message?: string;
  /** Version of the object in `data`, for `ETag`. */
  readonly version?: number;
  /** Redirect target. */
  readonly location?: string;
  /** The failure behind an error redirect, for log and metrics. */
  readonly failure?: unknown;
  /** Cookie to set or to clear. */
  readonly cookie?: BrowserCookie;
  /** Encrypts the envelope and returns the response body. */
  readonly seal?: (envelope: Uint8Array) => Promise<string>;
}

/** A response with the bytes of a file. */
export interface Download {
  readonly file: OpenedFile;
  /** Whether a browser may show the file as a part of a page of any origin. Default: false. */
  readonly embeddable?: boolean;
}

/** A response without an envelope. */
interface Document {
  /** JSON. */
  readonly document: string;
}

/** A success encrypted for the client outside a secure session. */
export interface SealedSuccess {
  /** Schema of `data` inside. */
  readonly data: z.ZodType;
  /** Description of the encryption, in Markdown. */
  readonly how: string;
  /** Whether the route encrypts every success. */
  readonly always: boolean;
}

/** The JSON body of a route. */
export interface BodyRule<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** Precedence of the codes of invalid fields. */
  readonly faultOrder: readonly ErrorCode[];
  /** Schema for a given body: the matching part of a union, or one that leaves checks to the use case. */
  readonly alternative?: (body: Readonly<Record<string, unknown>>) => Pick<BodyRule, "schema" | "faultOrder">;
  /** Accepts any JSON instead of objects only. */
  readonly any?: true;
  /** Whether the path, by its parameters, accepts an urlencoded form and nothing else. */
  readonly form?: (parameter: (name: string) => string) => boolean;
  /** The body is optional. The schema then gets `undefined`. */
  readonly optional?: true;
  /** Maximum size in bytes. Default: 1 MiB. */
  readonly limit?: number;
  /** Throws 307 over the limits of JSON. Default: `checkJsonLimits`. For a body whose parts are values of their own. */
  readonly checkLimits?: (body: unknown) => void;
}

/** A body that a route reads as a stream. */
export interface StreamRule {
  /** Accepted media types. */
  readonly types: readonly StreamType[];
  /** The body is optional. */
  readonly optional?: true;
}

/** The parsed parts of a request that a route declares. */
export interface RouteInput<Body, Query> {
  readonly body: Body;
  readonly query: Query;
  /** A path parameter by name. */
  readonly parameter: (name: string) => string;
  /** Versions listed in `If-Match`; `null` for any version. */
  readonly expectedVersions: readonly number[] | null;
  readonly settings: HttpSettings;
  /** Mail language that the client prefers; `null` if it names no supported one. */
  readonly language: MailLanguage | null;
  /** SHA-256 of the app key of the request; `null` if the route requires none. */
  readonly appKeyDigest: Digest | null;
  /** The body of a `stream` route; `null` without one. */
  readonly stream: StreamedBody | null;
  /** A header by its lower-case name. The items of a multi request have none. */
  readonly header: (name: string) => string | undefined;
  /** Value of a cookie; `null` if it is absent or has conflicting values. */
  readonly cookie: (name: string) => string | null;
  /** Reports the item results of a multi request to log and metrics. */
  readonly note: (items: readonly ItemRecord[]) => void;
  /**
   * The state of the database at the admission, for a request that reads only. `undefined` inside a multi request, whose
   * earlier items may have written.
   */
  readonly position: ReadPosition | undefined;
  /** The request with its idempotency key; `null` without one. */
  readonly keyed: KeyedRequest | null;
  /** Lets the request wait without load; `null` inside a multi request. */
  readonly suspend: Suspend | null;
}

/**
 * Credentials that a route requires: none, an app key, or a session with an app key. `secrets` marks an `appKey` route
 * with credentials in its body. `optional` acts as `session`, `appKey` or `public`, depending on the presented
 * credentials. With `address`, the use case admits the caller by what the address carries: the state of a log-in that was
 * started before, or a signature.
 */
export type Access = "public" | "appKey" | "secrets" | "session" | "optional" | "address";

interface RouteBase<BodySchema extends z.ZodType, QuerySchema extends z.ZodObject> {
  readonly method: Method;
  /** Relative to the alias, with parameters in braces. */
  readonly path: string;
  /** `operationId` of the API description. */
  readonly operation: string;
  readonly summary: string;
  /** Heading in the API description. The route table sets it per group. */
  readonly tag?: TagName;
  readonly body?: BodyRule<BodySchema>;
  /** Set for a route that reads its body as a stream, after all checks. Excludes `body`. */
  readonly stream?: StreamRule;
  /** Headers that the route evaluates, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: QuerySchema;
  /** Schema of `data` on success, or of the document. */
  readonly data: z.ZodType;
  /** Whether a success is a document without an envelope. */
  readonly isDocument?: true;
  /** Whether a success is a file, whole or in part, without an envelope. */
  readonly isFile?: true;
  /** Whether the route writes although its method is `GET`. */
  readonly isWrite?: true;
  /** Whether the route only reads although its method is `POST`. */
  readonly isRead?: true;
  readonly sealed?: SealedSuccess;
  /** Whether a success can carry an `ETag` with the version of its `data`. */
  readonly versioned?: true;
  /**
   * Whether a success is compressed for clients that accept it, outside secure sessions. Not where it holds a credential, key,
   * code, second factor, link or token: an attacker who sees lengths and influences other parts of the answer could guess it.
   */
  readonly compressed?: true;
  /** Whether the route evaluates `If-Match`. */
  readonly conditional?: true;
  /** Whether a success is a redirect. */
  readonly redirects?: true;
  /** Whether a success can be a redirect, depending on the request. */
  readonly mayRedirect?: true;
  /** Whether the query may contain the app key. Browser navigation cannot set headers. */
  readonly keyInQuery?: true;
  /** Whether the request carries secrets although the route requires no credentials. */
  readonly carriesSecrets?: true;
  /** Whether the route is excluded from multi requests. */
  readonly excludedFromMulti?: true;
  /** Whether the route evaluates `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Set for a route with transactions of its own. A key then belongs to the person, or to the session that has the effect. */
  readonly apart?: "person" | "session";
  /** Whether the route changes the model. Such a change cannot share a transaction. */
  readonly changesModel?: true;
  /** Whether an enrolment session can call the route. */
  readonly whileEnrolling?: true;
  /** Whether the route ends the session. */
  readonly endsSession?: true;
  /** Whether the route is for administrators, with an app key of scope `admin`. */
  readonly administration?: true;
  /** Whether the route needs a recent proof of the administrator's password or factor. */
  readonly needsProof?: true;
  /** Whether the route executes a macro. */
  readonly executesMacro?: true;
  /** Further description, in Markdown. */
  readonly description?: string;
  /** Error codes of the route itself, besides those of the pipeline steps. */
  readonly errors: readonly ErrorCode[];
}

interface Contexts {
  readonly public: RequestContext;
  readonly address: UnadmittedContext;
  readonly appKey: AppKeyContext;
  readonly secrets: AppKeyContext;
  readonly session: SessionContext;
  readonly optional: SessionContext | (RequestContext & { readonly session: null });
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface RouteDefinition<A extends Access, B extends z.ZodType, Q extends z.ZodObject> extends RouteBase<B, Q> {
  readonly access: A;
  readonly handle: (
    context: Contexts[A],
    input: RouteInput<Output<B>, Output<Q>>,
  ) => Promise<Success | Document | Download>;
}

/** One route of the table. */
export interface Route extends RouteBase<z.ZodType, z.ZodObject> {
  readonly access: Access;
  // The pipeline builds the context and input that the definition is typed for.
  readonly handle: (context: never, input: never) => Promise<Success | Document | Download>;
}

/** Handler of any route. */
export type RouteHandler = (
  context: RequestContext,
  input: RouteInput<unknown, unknown>,
) => Promise<Success | Document | Download>;

/** Checks the handler type against the declared parts of the route. */
export function defineRoute<A extends Access, B extends z.ZodType, Q extends z.ZodObject>(
  definition: RouteDefinition<A, B, Q>,
): Route {
  return definition as unknown as Route;
}

/** Whether a route only reads. */
export function onlyReads({ method, isRead, isWrite }: Pick<Route, "method" | "isRead" | "isWrite">): boolean {
  return isRead === true || (method === "GET" && isWrite !== true);
}

/** Whether a route requires a body. */
export function needsBody({ body }: Pick<Route, "body">): boolean {
  return body !== undefined && body.optional !== true;
}

/** Whether a route requires a body that it reads as a stream. */
function needsStream({ stream }: Pick<Route, "stream">): boolean {
  return stream !== undefined && stream.optional !== true;
}

const anyRoute: readonly ErrorCode[] = [304, 305, 307, 607, 699, 704, 705, 706, 799, 800];

const byAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  address: [],
  appKey: [100, 101],
  secrets: [100, 101],
  session: [100, 101, 200, 201, 202, 203, 204, 207, 312, 314, 340, 801],
  optional: [100, 101, 201, 203, 207, 312, 314, 340, 801],
};

/** Codes of secure sessions and of those that enrol a second factor. */
const ofOtherModes: ReadonlySet<ErrorCode> = new Set([312, 314, 340]);

const withBody: readonly ErrorCode[] = [207, 311, 801];

const withForm: readonly ErrorCode[] = [207, 801];

const neededBody: readonly ErrorCode[] = [300];

const encryptedBody: readonly ErrorCode[] = [312];

/** All error codes of a route, including those of the pipeline steps, in ascending order. */
export function declaredErrors(route: Route): ErrorCode[] {
  const body: ErrorCode[] =
    route.body === undefined
      ? []
      : [
          ...(route.body.form === undefined ? withBody : withForm),
          ...(needsBody(route) ? neededBody : []),
          ...(takesSession(route) ? encryptedBody : []),
        ];
  if (needsStream(route)) body.push(...neededBody);
  if (route.needsProof === true) body.push(802);
  const access = byAccess[route.access].filter((code) => route.administration !== true || !ofOtherModes.has(code));
  const codes = [...anyRoute, ...access, ...body, ...route.errors];
  return [...new Set(codes)].toSorted((a, b) => a - b);
}

/** Whether a route can be called in a session of any mode, and therefore in a secure one. */
export function takesSession({ access, administration }: Pick<Route, "access" | "administration">): boolean {
  return administration !== true && (access === "session" || access === "optional");
}
