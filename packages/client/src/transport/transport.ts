import { headerNames } from "@sallyport/contract/header-names";
import { unshared } from "../crypto/web-crypto.ts";
import { TransportError } from "../errors.ts";
import type { QueryValues, ServiceAddress } from "./service-address.ts";

/** Headers and body of a request. */
export interface OutgoingMessage {
  /** Keys are lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** A string is JSON or of the type in `content-type`; bytes are a file. */
  readonly body?: string | Uint8Array | undefined;
}

/** A complete response. */
export interface IncomingMessage {
  /** HTTP status. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** A function with the signature of `fetch`. */
export type Fetch = typeof fetch;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Target {
  readonly method: Method;
  /** Path below the alias, with a leading slash. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
}

/** Sends requests with the app key. */
export class Transport {
  constructor(
    readonly address: ServiceAddress,
    private readonly appKey: string,
    private readonly fetch: Fetch,
  ) {}

  /** Sends a request and reads the full response. Throws a `TransportError`, or the reason of an aborted signal. */
  async send(target: Target, message: OutgoingMessage, signal: AbortSignal): Promise<IncomingMessage> {
    return readWhole(await this.open(target, message, signal), signal);
  }

  /** Sends a request and reads the head of the response. */
  async open(
    { method, path, query }: Target,
    { headers, body }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = this.address.of(path, query);
    const init: RequestInit = {
      method,
      headers: new Headers({ ...headers, [headerNames.appKey]: this.appKey }),
      signal,
      // No caching, no cookies; credentials go to this address only.
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      referrerPolicy: "no-referrer",
    };
    if (body !== undefined) init.body = typeof body === "string" ? body : unshared(body);
    return unlessBroken(() => this.fetch(url, init), signal);
  }
}

/** Reads the body of a response. */
export async function readWhole(answer: Response, signal: AbortSignal): Promise<IncomingMessage> {
  const body = new Uint8Array(await unlessBroken(() => answer.arrayBuffer(), signal));
  return { status: answer.status, headers: answer.headers, body };
}

async function unlessBroken<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new TransportError("unreachable", { cause });
  }
}

/** Converts a piece of a body. */
export type PieceOpener = (piece: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The body of a response, piece by piece. A broken connection fails it with a `TransportError`. */
export function streamOf({ body }: Response, open: PieceOpener): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader?.read().catch((cause: unknown) => {
          throw new TransportError("unreachable", { cause });
        });
        if (next?.value === undefined) controller.close();
        else controller.enqueue(await open(next.value));
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
