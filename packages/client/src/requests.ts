import { headerNames } from "@sallyport/contract/header-names";
import { NotLoggedInError, SallyportError, TransportError } from "./errors.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import type { SessionKeeper } from "./sessions/session-keeper.ts";
import { type CallLimits, withinLimits } from "./transport/deadline.ts";
import { successOf } from "./transport/envelope.ts";
import type { QueryValues } from "./transport/service-address.ts";
import type { IncomingMessage, Method, OutgoingMessage, Target, Transport } from "./transport/transport.ts";
import { type ConditionOptions, ifMatchHeader, withVersion } from "./version.ts";

/** Options of every call. */
export interface CallOptions extends CallLimits {
  /**
   * Whether to log in and retry once if the session has ended. Default: true. The server checks the session first, so
   * nothing is executed twice. Use `false` for a macro that itself refuses with a code from 200 to 204.
   */
  readonly renew?: boolean | undefined;
}

/** A generic request, for routes without a method of their own. */
export interface RequestOptions extends CallOptions {
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
}

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

/** Returns the content of a response, or throws its refusal. */
type Reader<T> = (answer: IncomingMessage) => T;

/** Sends requests with the client's session, and retries after a renewal. */
export class ClientRequests {
  constructor(
    private readonly transport: Transport,
    private readonly keeper: SessionKeeper,
    private readonly timeout: number,
  ) {}

  json<Data>(options: RequestOptions): Promise<Answer<Data>> {
    return this.#send(options, (answer) => ({ ...headOf(answer), ...successOf<Data>(answer) }));
  }

  /** The data of the envelope. */
  async data<Data>(options: RequestOptions): Promise<Data> {
    return (await this.json<Data>(options)).data;
  }

  /** The data, with its version cached. `ifMatch` makes the request conditional. */
  async versioned<Data extends object>({ ifMatch, ...options }: RequestOptions & ConditionOptions): Promise<Data> {
    const { data, etag } = await this.json<Data>({ ...options, headers: ifMatchHeader(ifMatch) });
    return withVersion(data, etag);
  }

  bytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#send(options, (answer) => ({ ...headOf(answer), bytes: bytesOf(answer) }));
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

  #send<T>(
    { method = "GET", path, query, anonymous, renew, timeout = this.timeout, signal, ...rest }: RequestOptions,
    read: Reader<T>,
  ): Promise<T> {
    const target = { method, path, query };
    return withinLimits({ timeout, signal }, async (limit) => {
      const message = messageOf(rest);
      if (anonymous === true) return read(await this.transport.send(target, message, limit));
      const attempt = async (session: ClientSession) => read(await this.#exchange(session, target, message, limit));
      const { session } = this.keeper;
      if (session === undefined) throw new NotLoggedInError();
      try {
        return await attempt(session);
      } catch (error) {
        if (renew === false || !(error instanceof SallyportError) || !session.isOverWith(error.code)) throw error;
        return attempt(await this.keeper.renewed(session, error));
      }
    });
  }

  async #exchange(
    session: ClientSession,
    target: Target,
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const sealed = await session.seal(message);
    signal.throwIfAborted();
    return session.open(await this.transport.send(target, sealed, signal));
  }
}

function messageOf({ body, headers = {} }: Pick<RequestOptions, "body" | "headers">): OutgoingMessage {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (body === undefined) return { headers: lowered };
  if (body instanceof Uint8Array) return { headers: { "content-type": "application/octet-stream", ...lowered }, body };
  return { headers: { ...lowered, "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** The bytes of a success. A refusal is an envelope and is thrown. */
function bytesOf(answer: IncomingMessage): Uint8Array {
  if (answer.status < 200 || answer.status > 299) successOf(answer);
  return answer.body;
}

function parsed(bytes: Uint8Array, { status }: IncomingMessage): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new TransportError("foreign-answer", { httpStatus: status, cause });
  }
}

function headOf({ status, headers }: IncomingMessage): AnswerHead {
  const requestId = headers.get(headerNames.requestId) ?? undefined;
  return { httpStatus: status, requestId, etag: headers.get("etag") ?? undefined, headers };
}
