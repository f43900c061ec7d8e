import type { ErrorCode } from "@sallyport/storage/errors";

/** An error code of the catalogue, or a number that a later server adds. */
export type FailureCode = ErrorCode | (number & Record<never, never>);

/** The content of an error response. */
export interface Refusal {
  readonly code: FailureCode;
  /** `status.statusMessage`: the name of the error in the catalogue. */
  readonly message: string;
  readonly httpStatus: number;
  /** `X-Request-Id` of the response, for the server's operator. */
  readonly requestId?: string | undefined;
  /** Seconds until the next attempt, if the server sets it. */
  readonly retryAfter?: number | undefined;
  /** Whether the server has refused the request before any work. Default: false. */
  readonly notExecuted?: boolean | undefined;
  /** Only if debug messages are enabled on the server. */
  readonly debugMessage?: string | undefined;
  /** A message of the operator for users, such as the reason of a maintenance. */
  readonly notice?: string | undefined;
}

/** The server refused the request. */
export class SallyportError extends Error {
  override readonly name = "SallyportError";
  readonly code: FailureCode;
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly notExecuted: boolean;
  readonly debugMessage: string | undefined;
  readonly notice: string | undefined;

  constructor({ code, message, httpStatus, requestId, retryAfter, notExecuted, debugMessage, notice }: Refusal) {
    super(`${code} ${message}`);
    this.code = code;
    this.httpStatus = httpStatus;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.notExecuted = notExecuted ?? false;
    this.debugMessage = debugMessage;
    this.notice = notice;
  }
}

/**
 * Why there is no valid response. `unreachable`: the connection failed or broke; `timeout`: the time limit was
 * exceeded; `foreign-answer`: the response is not an envelope, for example that of a proxy. Files only: `changed`: the
 * file got new bytes during its download; `damaged`: the server stored other bytes than those sent.
 */
export type TransportFailure = "unreachable" | "timeout" | "foreign-answer" | "changed" | "damaged";

const transportFailures: Readonly<Record<TransportFailure, string>> = {
  unreachable: "The server cannot be reached.",
  timeout: "The server did not respond in time.",
  "foreign-answer": "The response is not from the service.",
  changed: "The file has changed during its download.",
  damaged: "The server stored other bytes than those sent.",
};

/** There is no valid response. The request may or may not have been executed. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly reason: TransportFailure;
  /** Set for `foreign-answer`. */
  readonly httpStatus: number | undefined;

  constructor(reason: TransportFailure, { cause, httpStatus }: { cause?: unknown; httpStatus?: number } = {}) {
    super(transportFailures[reason], cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}

const channelFailures = {
  "no-web-crypto": "Web Crypto is not available. Browsers provide it only on pages from HTTPS or localhost.",
  "unprotected-key":
    "The key of the server cannot be fetched over an unprotected connection. Use https, or pass the key as `serverKey`.",
  "server-key": "The key of the server is not a valid RSA public key.",
  "log-in-answer": "The log-in response cannot be decrypted or is incomplete.",
  "clear-answer": "The server sent an unencrypted response in a secure session.",
  "no-counter-block": "The response has no valid counter block.",
  "wrong-direction": "The counter block of the response has the wrong direction.",
  "foreign-prefix": "The counter block of the response belongs to another session.",
  "not-first-block": "The counter block of the response is not the initial block of a message.",
  "repeated-number": "The message number of the response was already used.",
  undecipherable: "The response cannot be decrypted.",
  "too-long": "The response has more than 64 GiB.",
} as const;

/** Why the encryption of a log-in or session failed. */
export type ChannelFailure = keyof typeof channelFailures;

/** Encryption is unavailable, or a response fails verification. The response is discarded. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly reason: ChannelFailure;

  constructor(reason: ChannelFailure, { cause }: { cause?: unknown } = {}) {
    super(channelFailures[reason], cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** The call needs a session, and there is none. Nothing was sent. */
export class NotLoggedInError extends Error {
  override readonly name = "NotLoggedInError";

  constructor(message = "This call requires a log-in.") {
    super(message);
  }
}
