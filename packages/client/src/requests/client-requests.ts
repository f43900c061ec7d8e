import { headerNames } from "@sallyport/contract/header-names";
import { NotLoggedInError } from "../errors/not-logged-in-error.ts";
import { SallyportError } from "../errors/sallyport-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import type { Answer, AnswerHead, BytesAnswer, RequestOptions } from "./request-options.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import type { SessionKeeper } from "../sessions/session-keeper.ts";
import { type CallLimits, withinLimits } from "../transport/deadline.ts";
import { successOf } from "../transport/envelope.ts";
import type { IncomingMessage, OutgoingMessage } from "../transport/message.ts";
import type { Target, Transport } from "../transport/transport.ts";

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

  bytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#send(options, (answer) => ({ ...headOf(answer), bytes: bytesOf(answer) }));
  }

  /** JSON in no envelope. */
  document<Data>(options: RequestOptions): Promise<Data> {
    return this.#send(options, (answer) => parsed(bytesOf(answer), answer) as Data);
  }

  /** Sends a request with this very session, once. */
  async with(
    session: ClientSession,
    target: Target,
    { timeout = this.timeout, signal }: CallLimits = {},
  ): Promise<void> {
    await withinLimits({ timeout, signal }, async (limit) => {
      successOf(await this.#exchange(session, target, { headers: {} }, limit));
    });
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
