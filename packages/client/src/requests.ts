import type { DatabaseCalls } from "@sallyport/contract";
import { headerNames } from "@sallyport/contract/header-names";
import { jsonText } from "./json.ts";
import { NotLoggedInError, SallyportError, TransportError } from "./errors.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import type { SessionKeeper } from "./sessions/session-keeper.ts";
import { type CallArguments, type SentCall, targetOf } from "./transport/calls.ts";
import { type CallLimits, withinLimits } from "./transport/deadline.ts";
import { refuse, successOf } from "./transport/envelope.ts";
import { isTransient, isUnexecuted, Retries } from "./transport/retries.ts";
import type { QueryValues } from "./transport/service-address.ts";
import {
  type IncomingMessage,
  type Method,
  type OutgoingMessage,
  readWhole,
  streamOf,
  type Target,
  type Transport,
} from "./transport/transport.ts";
import { type ConditionOptions, ifMatchHeader, withVersion } from "./version.ts";

/** Options of every call. */
export interface CallOptions extends CallLimits {
  /**
   * Whether to log in and retry once if the session has ended. Default: true. The server checks the session first, so
   * nothing is executed twice. Use `false` for a macro that itself refuses with a code from 200 to 204.
   */
  readonly renew?: boolean | undefined;
  /**
   * How often the call is repeated within its time limit after a failure that passes: a broken connection, overload, an
   * outage. Pauses grow from 0.2 seconds, or are those that the server asks for. Reads and calls with an `idempotencyKey` are
   * repeated after all of them, other calls only if they have certainly not been executed. Default: that of the client.
   */
  readonly retries?: number | undefined;
}

/** Options of calls that the server executes at most once. */
export interface OnceOptions {
  /**
   * 1 to 128 printable ASCII characters, chosen for this call: a repetition with the same key and content gets the result
   * of the first call, without another effect, for 24 hours. 307 for another content.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A generic request, for routes without a method of their own. */
export interface RequestOptions extends CallOptions, OnceOptions {
  /** Default: `GET`. */
  readonly method?: Method | undefined;
  /** Path below the alias: `/v1/execute/myMacro`. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
  /** Bytes are sent as a file, other values as JSON. */
  readonly body?: unknown;
  /** Additional headers. They cannot replace those of the app key and the session. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the request without a session, so unencrypted, to routes that need none. */
  readonly anonymous?: boolean | undefined;
  /** Whether the request has no second effect if it is repeated. Default: for `GET`, and with an `idempotencyKey`. */
  readonly repeatable?: boolean | undefined;
}

/** Options of a call of any operation. `ifMatch` is for writes. */
export type OperationOptions = CallOptions & OnceOptions & ConditionOptions;

/** The common part of successful responses. */
export interface AnswerHead {
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  /** `ETag`, as a value for `if-match`. */
  readonly etag: string | undefined;
  readonly headers: { get(name: string): string | null };
}

export interface Answer<Data> extends AnswerHead {
  readonly data: Data;
  /** `ok`, or the status message of a macro. */
  readonly message: string;
}

export interface BytesAnswer extends AnswerHead {
  readonly bytes: Uint8Array;
}

export interface StreamAnswer extends AnswerHead {
  /** The bytes as they arrive. It fails with a `TransportError` if the connection breaks. */
  readonly stream: ReadableStream<Uint8Array>;
}

/** Returns the content of a response, or throws its refusal. */
type Reader<T> = (answer: IncomingMessage) => T;

/** One attempt to send a request, with a session or anonymously. */
type Attempt<T> = (session: ClientSession | undefined, parts: RequestParts) => Promise<T>;

interface RequestParts {
  readonly target: Target;
  readonly message: OutgoingMessage;
  readonly signal: AbortSignal;
}

/** Sends requests with the client's session, and retries after a renewal. */
export class ClientRequests {
  constructor(
    private readonly transport: Transport,
    private readonly keeper: SessionKeeper,
    /** Milliseconds. */
    private readonly timeout: number,
    private readonly retries: number,
  ) {}

  json<Data>(options: RequestOptions): Promise<Answer<Data>> {
    return this.#send(options, (answer) => ({ ...headOf(answer), ...successOf<Data>(answer) }));
  }

  /** The data of the envelope. */
  async data<Data>(options: RequestOptions): Promise<Data> {
    return (await this.json<Data>(options)).data;
  }

  /** The data, with its version cached. `ifMatch` makes the request conditional. */
  async versioned<Data>({ ifMatch, ...options }: Omit<RequestOptions, "headers"> & ConditionOptions): Promise<Data> {
    const { data, etag } = await this.json<Data>({ ...options, headers: ifMatchHeader(ifMatch) });
    return withVersion(data, etag);
  }

  /** Calls an operation. Its data has the version cached. */
  call<Key extends keyof DatabaseCalls>(
    operation: Key,
    ...[options]: CallArguments<DatabaseCalls[Key]["input"], OperationOptions>
  ): Promise<DatabaseCalls[Key]["data"]> {
    const { path, ...request }: SentCall & OperationOptions = options ?? {};
    return this.versioned({ ...request, ...targetOf(operation, path) });
  }

  bytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#send(options, (answer) => ({ ...headOf(answer), bytes: bytesOf(answer) }));
  }

  /** The limits apply until the head of the response has arrived. */
  stream(options: RequestOptions): Promise<StreamAnswer> {
    return this.#withRetries(options, async (session, { target, message, signal }) => {
      const sealed = session === undefined ? message : await session.seal(message);
      const answer = await this.transport.open(target, sealed, signal);
      const { status, headers } = answer;
      if (status !== notModified && !answer.ok) {
        const whole = await readWhole(answer, signal);
        refuse(session === undefined ? whole : await session.open(whole));
      }
      const open = status === notModified ? undefined : session?.openPieces(headers);
      return { ...headOf(answer), stream: streamOf(answer, open ?? ((piece) => piece)) };
    });
  }

  /** JSON without an envelope. */
  document<Data>(options: RequestOptions): Promise<Data> {
    return this.#send(options, (answer) => parsed(bytesOf(answer), answer) as Data);
  }

  /** Sends a request once with the given session. Returns `false` if that session has ended. */
  async isAccepted(
    session: ClientSession,
    target: Target,
    { timeout = this.timeout, signal }: CallLimits = {},
  ): Promise<boolean> {
    try {
      await withinLimits({ timeout, signal }, async (limit) => {
        successOf(await this.#exchange(session, target, { headers: {} }, limit));
      });
      return true;
    } catch (error) {
      if (error instanceof SallyportError && session.isOverWith(error.code)) return false;
      throw error;
    }
  }

  #send<T>(options: RequestOptions, read: Reader<T>): Promise<T> {
    return this.#withRetries(options, async (session, { target, message, signal }) =>
      read(
        session === undefined
          ? await this.transport.send(target, message, signal)
          : await this.#exchange(session, target, message, signal),
      ),
    );
  }

  #withRetries<T>(options: RequestOptions, attempt: Attempt<T>): Promise<T> {
    const { method = "GET", path, query, timeout = this.timeout, signal, retries = this.retries } = options;
    const { repeatable = method === "GET" || options.idempotencyKey !== undefined } = options;
    return withinLimits({ timeout, signal }, (limit) => {
      const parts = { target: { method, path, query }, message: messageOf(options), signal: limit };
      const end = timeout === 0 ? Number.POSITIVE_INFINITY : performance.now() + timeout;
      // Secure mode authenticates no headers. An attacker in between could forward a write, and forge the header that says it
      // was not executed. The client would then send it twice.
      const trustsHeaders = options.anonymous === true || this.keeper.session?.mode !== "secure";
      const isRepeatable = (error: unknown) => isTransient(error) && (repeatable || isUnexecuted(error, trustsHeaders));
      const repeats = new Retries({ retries, signal: limit }, { isRepeatable, end });
      return repeats.run(() => this.#withRenewal(options, parts, attempt));
    });
  }

  /** One attempt, and another one after a renewal of the session. */
  async #withRenewal<T>({ anonymous, renew }: RequestOptions, parts: RequestParts, attempt: Attempt<T>): Promise<T> {
    if (anonymous === true) return attempt(undefined, parts);
    const { session } = this.keeper;
    if (session === undefined) throw new NotLoggedInError();
    try {
      return await attempt(session, parts);
    } catch (error) {
      if (renew === false || !(error instanceof SallyportError) || !session.isOverWith(error.code)) throw error;
      return attempt(await this.keeper.renewed(session, error), parts);
    }
  }

  async #exchange(
    session: ClientSession,
    target: Target,
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const sealed = await session.seal(message);
    signal.throwIfAborted();
    const answer = await this.transport.send(target, sealed, signal);
    return answer.status === notModified ? answer : session.open(answer);
  }
}

/** The client has the current bytes (`if-none-match`). The response has neither a body nor an envelope, and is unencrypted. */
const notModified = 304;

function messageOf({
  body,
  headers = {},
  idempotencyKey,
}: Pick<RequestOptions, "body" | "headers" | "idempotencyKey">): OutgoingMessage {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (idempotencyKey !== undefined) lowered[headerNames.idempotencyKey] = idempotencyKey;
  if (body === undefined) return { headers: lowered };
  if (body instanceof Uint8Array) return { headers: { "content-type": "application/octet-stream", ...lowered }, body };
  // Bytes can be of any type, but other values are always sent as JSON.
  return { headers: { ...lowered, "content-type": "application/json" }, body: jsonText(body) };
}

/** The bytes of a success, none of a 304. A refusal is an envelope and is thrown. */
function bytesOf(answer: IncomingMessage): Uint8Array {
  const isSuccess = answer.status >= 200 && answer.status <= 299;
  return isSuccess || answer.status === notModified ? answer.body : refuse(answer);
}

function parsed(bytes: Uint8Array, { status }: IncomingMessage): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new TransportError("foreign-answer", { httpStatus: status, cause });
  }
}

function headOf({ status, headers }: Pick<IncomingMessage, "status" | "headers">): AnswerHead {
  const requestId = headers.get(headerNames.requestId) ?? undefined;
  return { httpStatus: status, requestId, etag: headers.get("etag") ?? undefined, headers };
}
