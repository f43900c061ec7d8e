import { headerNames } from "@sallyport/contract/header-names";
import { TransportError } from "../errors.ts";
import type { QueryValues, ServiceAddress } from "./service-address.ts";

/** What a request carries besides method and address. */
export interface OutgoingMessage {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text is JSON or whatever `content-type` says, bytes are those of a file. */
  readonly body?: string | Uint8Array | undefined;
}

/** An answer, read to its end. */
export interface IncomingMessage {
  /** HTTP status. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** What does the sending: the platform's `fetch`, or something with its signature. */
export type Fetch = typeof fetch;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Target {
  readonly method: Method;
  /** Below the alias, beginning with a slash. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
}

/** Requests with the app key, and their answers as bytes. */
export class Transport {
  constructor(
    readonly address: ServiceAddress,
    private readonly appKey: string,
    private readonly fetch: Fetch,
  ) {}

  /** Sends one request and reads the answer to its end. A `TransportError` if there is none, the reason of the signal if it tells to stop. */
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
      // Answers are nobody's to keep, cookies mean nothing here, and credentials go to this address only.
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
