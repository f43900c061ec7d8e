import type { Digest, ReadPosition } from "@sallyport/storage";
import { type Access, type emptyResponse, needsBody, type Operation, type StreamType } from "@sallyport/contract";
import {
  type AdministratorContext,
  administratorContext,
  type AppKeyContext,
  type UnadmittedContext,
  type BrowserCookie,
  type KeyedRequest,
  type MailLanguage,
  type OpenedFile,
  type RequestContext,
  type SessionContext,
  type Suspend,
  type Uses,
  type Services,
} from "@sallyport/core";
import type { z } from "zod";
import type { HttpSettings, ItemRecord } from "./http-settings.ts";

/** Serialized JSON, in pieces. As `data` of a success it is written unchanged. */
export class JsonText {
  /** `isCompressible`: whether all of it is from routes with `compressed`. */
  constructor(
    readonly pieces: readonly string[],
    readonly isCompressible = true,
  ) {}
}

/** Result of a use case, to be written as a success. */
export interface Success<Data = unknown> {
  /** Any JSON, or a `JsonText`. */
  readonly data: Data;
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

/** The body of a request, not read yet. */
export interface StreamedBody {
  /** Media type in lower case. */
  readonly type: StreamType;
  /** The header as sent, for the boundary. */
  readonly contentType: string;
  /** Size of the body in bytes; `null` for a body in chunks. */
  readonly length: number | null;
  /** The bytes of the body, decrypted in a secure session. Can be iterated once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether reading has begun, so that the client knows that the body is wanted. */
  readonly hasBegun: () => boolean;
  /** Stops reading. Repeated calls have no effect. */
  readonly close: () => void;
}

/** The parsed parts of a request that its operation declares. */
export interface RouteInput<
  Body = unknown,
  Query = unknown,
  Parameter extends string = string,
  Stream = StreamedBody | null,
> {
  readonly body: Body;
  readonly query: Query;
  /** A path parameter by name. */
  readonly parameter: (name: Parameter) => string;
  /** Versions listed in `If-Match`; `null` for any version. */
  readonly expectedVersions: readonly number[] | null;
  readonly settings: HttpSettings;
  /** Mail language that the client prefers; `null` if it names no supported one. */
  readonly language: MailLanguage | null;
  /** SHA-256 of the app key of the request; `null` if the operation requires none. */
  readonly appKeyDigest: Digest | null;
  /** A body that is read as a stream; `null` without one. */
  readonly stream: Stream;
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

type Answer = Success | Document | Download;

/** A context with the services of all use cases. */
export type Served<Context> = Context & Uses<Services>;

/** The success of a handler without a result. */
export const nothing: Success = { data: {} };

/** Handler of any route. The context is that of its access. */
export type RouteHandler = (context: Served<RequestContext>, input: RouteInput) => Promise<Answer | void>;

/** An operation with its handler. */
export interface Route extends Operation {
  /** Whether a request must have a body of JSON or a form. */
  readonly needsBody: boolean;
  readonly handle: RouteHandler;
  /** Handles a request with a key. Default: like one without. */
  readonly handleOnce?: RouteHandler;
}

interface Contexts {
  readonly public: Served<RequestContext>;
  readonly address: Served<UnadmittedContext>;
  readonly ticket: Served<RequestContext>;
  readonly appKey: Served<AppKeyContext>;
  readonly secrets: Served<AppKeyContext>;
  readonly navigation: Served<AppKeyContext>;
  readonly session: Served<SessionContext>;
  readonly optional: Served<SessionContext | (RequestContext & { readonly session: null })>;
}

type ContextOf<O> = O extends { path: `/admin/${string}`; access: "session" }
  ? Served<AdministratorContext>
  : O extends { access: infer A extends Access }
    ? Contexts[A]
    : never;

type BodyOf<O> = O extends { body: { json: infer S extends z.ZodType } | { form: infer S extends z.ZodType } }
  ? z.output<S>
  : undefined;

type QueryOf<O> = O extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;

type StreamOf<O> = O extends { body: { stream: unknown } }
  ? O extends { body: { optional: true } }
    ? StreamedBody | null
    : StreamedBody
  : null;

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;

/** The input of the handler of an operation. */
export type InputOf<O> = O extends { path: infer Path }
  ? RouteInput<BodyOf<O>, QueryOf<O>, ParameterOf<Path>, StreamOf<O>>
  : never;

/** A value that a handler may return for a schema. The members of business objects are not known here. */
type Shown<T> = T extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : T extends object
    ? string extends keyof T
      ? object
      : { readonly [Name in keyof T]: Shown<T[Name]> }
    : T;

type DataOf<O> = O extends { data: infer S extends z.ZodType }
  ? Shown<z.output<S>> | (O extends { answer: { sealed: infer T extends z.ZodType } } ? Shown<z.output<T>> : never)
  : never;

type AnswerOf<O> = O extends { answer: "file" }
  ? Download
  : O extends { answer: "document" }
    ? Document
    : O extends { answer: "mayRedirect" }
      ? Success<DataOf<O> | Record<string, never>>
      : Success<DataOf<O> | JsonText> | (O extends { data: typeof emptyResponse } ? void : never);

/** The handlers of operations. A handler without a result answers with an empty object. */
export type Handlers<Group> = {
  readonly [Id in keyof Group]: (
    context: ContextOf<Group[Id]>,
    input: InputOf<Group[Id]>,
  ) => Promise<AnswerOf<Group[Id]>>;
};

type AnyHandler = (context: never, input: never) => Promise<Answer | void>;

/** The routes of groups of operations, in their order. */
export function routesOf<Groups extends Readonly<Record<string, Readonly<Record<string, Operation>>>>>(
  groups: Groups,
  handlers: { readonly [Name in keyof Groups]: Handlers<Groups[Name]> },
): Route[] {
  return Object.entries(groups).flatMap(([name, group]) =>
    Object.values(group).map((operation): Route => {
      const byId = handlers[name] as unknown as Readonly<Record<string, AnyHandler>>;
      const handle = handlerOf(operation, byId[operation.id] as AnyHandler);
      return { ...operation, needsBody: needsBody(operation), handle };
    }),
  );
}

function handlerOf({ access, administration }: Operation, handler: AnyHandler): RouteHandler {
  // The pipeline builds the context and the input that the operation declares.
  const handle = handler as unknown as RouteHandler;
  return administration && access === "session"
    ? (context, input) => handle(administratorContext(context as Served<SessionContext>), input)
    : handle;
}
