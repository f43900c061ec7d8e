import { headerNames } from "@sallyport/contract/header-names";
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
  async send(
    { method, path, query }: Target,
    { headers, body }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
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
    if (body !== undefined) init.body = typeof body === "string" ? body : new Uint8Array(body);
    try {
      const answer = await this.fetch(url, init);
      return { status: answer.status, headers: answer.headers, body: new Uint8Array(await answer.arrayBuffer()) };
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw new TransportError("unreachable", { cause });
    }
  }
}
