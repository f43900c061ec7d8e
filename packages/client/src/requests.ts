import { headerNames } from "@sallyport/contract/header-names";
import { NotLoggedInError, SallyportError, TransportError } from "./errors.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import type { SessionKeeper } from "./sessions/session-keeper.ts";
import { type CallLimits, withinLimits } from "./transport/deadline.ts";
import { successOf } from "./transport/envelope.ts";
import type { QueryValues } from "./transport/service-address.ts";
import type { IncomingMessage, Method, OutgoingMessage, Target, Transport } from "./transport/transport.ts";
import { type ConditionOptions, ifMatchHeader, withVersion } from "./version.ts";

/** What every call takes. */
export interface CallOptions extends CallLimits {
  /**
   * Whether the call may log in anew and be sent once more if its session is over. The server says so before it does
   * anything else, so that nothing is done twice; `false` for a macro that chooses one of these codes (200 to 204) itself.
   */
  readonly renew?: boolean | undefined;
}

/** A request in general, for routes that have no method of their own. */
export interface RequestOptions extends CallOptions {
  /** `GET` unless given. */
  readonly method?: Method | undefined;
  /** Below the alias: `/v1/execute/myMacro`. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
  /** Bytes are sent as those of a file, anything else as JSON. */
  readonly body?: unknown;
  /** Further headers; those of the app key and of the session go before them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the request without a session, and so in clear text, for routes that need none. */
  readonly anonymous?: boolean | undefined;
}

/** What is common to answers that are not refusals. */
export interface AnswerHead {
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  /** `ETag`, as it is to be sent as `if-match`. */
  readonly etag: string | undefined;
  readonly headers: { get(name: string): string | null };
}

export interface Answer<Data> extends AnswerHead {
  readonly data: Data;
  /** `ok`, or what a macro has set. */
  readonly message: string;
}

export interface BytesAnswer extends AnswerHead {
  readonly bytes: Uint8Array;
}

/** Reads an answer: gives what it holds, throws what it refuses. */
type Reader<T> = (answer: IncomingMessage) => T;

/** Sends requests with the session of the client, and again when it had to be renewed. */
export class ClientRequests {
  constructor(
    private readonly transport: Transport,
    private readonly keeper: SessionKeeper,
    private readonly timeout: number,
  ) {}

  json<Data>(options: RequestOptions): Promise<Answer<Data>> {
    return this.#send(options, (answer) => ({ ...headOf(answer), ...successOf<Data>(answer) }));
  }

  /** What the envelope holds. */
  async data<Data>(options: RequestOptions): Promise<Data> {
    return (await this.json<Data>(options)).data;
  }

  /** The same, with its version remembered; `ifMatch` is what it may depend on. */
  async versioned<Data extends object>({ ifMatch, ...options }: RequestOptions & ConditionOptions): Promise<Data> {
    const { data, etag } = await this.json<Data>({ ...options, headers: ifMatchHeader(ifMatch) });
    return withVersion(data, etag);
  }

  bytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#send(options, (answer) => ({ ...headOf(answer), bytes: bytesOf(answer) }));
  }

  /** JSON in no envelope. */
  document<Data>(options: RequestOptions): Promise<Data> {
    return this.#send(options, (answer) => parsed(bytesOf(answer), answer) as Data);
  }

  /** Sends a request with this very session, once; `false` if the answer tells that the session is over. */
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

/** The bytes of a success; whatever is none is an envelope, which is thrown here. */
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
