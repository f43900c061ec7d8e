import type {
  AppKeyContext,
  ArrivingContext,
  BrowserCookie,
  Digest,
  ErrorCode,
  MailLanguage,
  RequestContext,
  SessionContext,
} from "@sallyport/core";
import type { z } from "zod";
import type { TagName } from "../openapi/open-api.ts";
import type { HttpSettings, ItemRecord } from "../server/http-settings.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a use case gives back to be written as a success. */
export interface Success {
  /** Any JSON, or a `JsonText`. */
  readonly data: unknown;
  /** Instead of `ok`. */
  readonly message?: string;
  /** Version of what is in `data`, for `ETag`. */
  readonly version?: number;
  /** Where the browser is to go: the answer is a redirect then. */
  readonly location?: string;
  /** What the place that the browser is sent to is told of as an error; log and metrics know it as the failure of the request. */
  readonly failure?: unknown;
  /** What the browser is to keep, or to forget. */
  readonly cookie?: BrowserCookie;
  /** Encrypts the envelope: what it gives back is the body of the answer. */
  readonly seal?: (envelope: Uint8Array) => Promise<string>;
}

/** A document that is the answer itself, in no envelope. */
interface Document {
  /** JSON. */
  readonly document: string;
}

/** A success that is encrypted for the client although no secure session is open yet. */
export interface SealedSuccess {
  /** Schema of `data` inside. */
  readonly data: z.ZodType;
  /** How it is encrypted, in Markdown. */
  readonly how: string;
  /** Whether the route never answers a success in clear. */
  readonly always: boolean;
}

/** The JSON body that a route takes. */
export interface BodyRule<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** Which code is answered first when several fields are wrong. */
  readonly faultOrder: readonly ErrorCode[];
  /** What a body is to be checked against: of a union the part that is meant, or a schema that leaves more to the use case. */
  readonly alternative?: (body: Readonly<Record<string, unknown>>) => Pick<BodyRule, "schema" | "faultOrder">;
  /** Takes any JSON; else an object. */
  readonly any?: true;
  /** Whether the path, by its parameters, takes the fields of an urlencoded form, and nothing else. */
  readonly form?: (parameter: (name: string) => string) => boolean;
  /** The route can do without: its schema is given `undefined` then. */
  readonly optional?: true;
}

/** The parts of a request that a route declares, parsed. */
export interface RouteInput<Body, Query> {
  readonly body: Body;
  readonly query: Query;
  /** A part of the path, by the name it has in the pattern. */
  readonly parameter: (name: string) => string;
  /** Versions that `If-Match` names; `null` when any will do. */
  readonly expectedVersions: readonly number[] | null;
  readonly settings: HttpSettings;
  /** What the client wants mail to be written in; `null`: it names no language that mail is written in. */
  readonly language: MailLanguage | null;
  /** SHA-256 of the app key that came with the request; `null` where none is asked for. */
  readonly appKeyDigest: Digest | null;
  /** The value of a cookie; `null` if there is none of the name, or there are several. */
  readonly cookie: (name: string) => string | null;
  /** Tells log and metrics what became of the items of a multi request. */
  readonly note: (items: readonly ItemRecord[]) => void;
}

/**
 * What a route asks of its caller: nothing, an app key, or a session (and an app key). `secrets` marks an app-key
 * route whose body carries credentials. With `optional`, whoever shows an app key or a credential is asked for what an
 * `appKey` or a `session` route asks for, and whoever shows nothing for nothing. `returning` is somebody whom the use case
 * admits, by the state of what he began before.
 */
export type Access = "public" | "appKey" | "secrets" | "session" | "optional" | "returning";

interface RouteBase<BodySchema extends z.ZodType, QuerySchema extends z.ZodObject> {
  readonly method: Method;
  /** Relative to the alias; parameters in braces. */
  readonly path: string;
  /** `operationId` of the API description. */
  readonly operation: string;
  readonly summary: string;
  /** The heading of the API description under which it stands; the route table gives one to each group of routes. */
  readonly tag?: TagName;
  readonly body?: BodyRule<BodySchema>;
  readonly query?: QuerySchema;
  /** Schema of `data` on success, or of the document. */
  readonly data: z.ZodType;
  /** Whether a success is a document, in no envelope. */
  readonly isDocument?: true;
  readonly sealed?: SealedSuccess;
  /** Whether a success can carry the version of what is in `data` as `ETag`. */
  readonly versioned?: true;
  /** Whether the route heeds `If-Match`. */
  readonly conditional?: true;
  /** Whether a success sends the browser elsewhere. */
  readonly redirects?: true;
  /** Whether a success sends the browser elsewhere where the request, or what it belongs to, asks for that. */
  readonly mayRedirect?: true;
  /** Whether the app key may stand in the query, for browsers, which cannot set headers. */
  readonly keyInQuery?: true;
  /** Whether what comes with the request opens something, although it asks for no credentials. */
  readonly carriesSecrets?: true;
  /** Whether it is no item of a multi request. */
  readonly standsAlone?: true;
  /** Whether it changes the model: that is never part of a transaction with something else. */
  readonly changesModel?: true;
  /** Whether a session can call it that was opened to set up a second factor. */
  readonly whileEnrolling?: true;
  /** Whether it ends the session. */
  readonly endsSession?: true;
  /** Whether a macro is what it does. */
  readonly executesMacro?: true;
  /** More about it, in Markdown. */
  readonly description?: string;
  /** The failures that this route's own work can give, besides those of the steps before it. */
  readonly errors: readonly ErrorCode[];
}

interface Contexts {
  readonly public: RequestContext;
  readonly returning: ArrivingContext;
  readonly appKey: AppKeyContext;
  readonly secrets: AppKeyContext;
  readonly session: SessionContext;
  readonly optional: SessionContext | (RequestContext & { readonly session: null });
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

interface RouteDefinition<A extends Access, B extends z.ZodType, Q extends z.ZodObject> extends RouteBase<B, Q> {
  readonly access: A;
  readonly handle: (context: Contexts[A], input: RouteInput<Output<B>, Output<Q>>) => Promise<Success | Document>;
}

/** One route of the table. */
export interface Route extends RouteBase<z.ZodType, z.ZodObject> {
  readonly access: Access;
  // The pipeline builds exactly the context and input that the definition was typed for.
  readonly handle: (context: never, input: never) => Promise<Success | Document>;
}

/** The handler of any route. */
export type RouteHandler = (
  context: RequestContext,
  input: RouteInput<unknown, unknown>,
) => Promise<Success | Document>;

/** Checks a route's handler against the parts that the route declares. */
export function defineRoute<A extends Access, B extends z.ZodType, Q extends z.ZodObject>(
  definition: RouteDefinition<A, B, Q>,
): Route {
  return definition as unknown as Route;
}

/** Whether a route cannot do without a body. */
export function needsBody({ body }: Pick<Route, "body">): boolean {
  return body !== undefined && body.optional !== true;
}

const anyRoute: readonly ErrorCode[] = [304, 305, 307, 607, 699, 704, 705, 706, 799];

const byAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  returning: [],
  appKey: [100, 101],
  secrets: [100, 101],
  session: [100, 101, 200, 201, 202, 203, 204, 207, 312, 314, 340, 801],
  optional: [100, 101, 201, 203, 207, 312, 314, 340, 801],
};

const withBody: readonly ErrorCode[] = [207, 311, 801];

const withForm: readonly ErrorCode[] = [207, 801];

const neededBody: readonly ErrorCode[] = [300];

const encryptedBody: readonly ErrorCode[] = [312];

/** Every code that a route can answer: its own and those of the steps before it, ascending. */
export function declaredErrors(route: Route): ErrorCode[] {
  const body =
    route.body === undefined
      ? []
      : [
          ...(route.body.form === undefined ? withBody : withForm),
          ...(needsBody(route) ? neededBody : []),
          ...(takesSession(route) ? encryptedBody : []),
        ];
  const codes = [...anyRoute, ...byAccess[route.access], ...body, ...route.errors];
  return [...new Set(codes)].toSorted((a, b) => a - b);
}

/** Whether a route can be called in a session, and so in a secure one. */
export function takesSession({ access }: Pick<Route, "access">): boolean {
  return access === "session" || access === "optional";
}
