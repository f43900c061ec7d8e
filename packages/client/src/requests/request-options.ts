import type { CallOptions } from "./call-options.ts";
import type { QueryValues } from "../transport/service-address.ts";
import type { Method } from "../transport/transport.ts";

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
