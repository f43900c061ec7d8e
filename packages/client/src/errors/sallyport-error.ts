import type { ErrorCode } from "@sallyport/core/errors";

/** A code of the catalogue; a number for those that a later server may add. */
export type FailureCode = ErrorCode | (number & Record<never, never>);

/** What an answer tells about a refusal. */
export interface Refusal {
  readonly code: FailureCode;
  /** `status.statusMessage`: the name of the error in the catalogue. */
  readonly message: string;
  readonly httpStatus: number;
  /** `X-Request-Id` of the answer: what the operator of the server can look up. */
  readonly requestId?: string | undefined;
  /** Seconds to wait before another attempt, where the server says so. */
  readonly retryAfter?: number | undefined;
  /** Only of a server that is configured to explain itself. */
  readonly debugMessage?: string | undefined;
}

/** The server has answered, and refused. */
export class SallyportError extends Error {
  override readonly name = "SallyportError";
  readonly code: FailureCode;
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly debugMessage: string | undefined;

  constructor({ code, message, httpStatus, requestId, retryAfter, debugMessage }: Refusal) {
    super(`${code} ${message}`);
    this.code = code;
    this.httpStatus = httpStatus;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.debugMessage = debugMessage;
  }
}
