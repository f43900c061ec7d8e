/**
 * Why there is no answer of the service: `unreachable`: the connection failed or broke; `timeout`: it took too long;
 * `foreign-answer`: something answered, but not in an envelope, such as a proxy in between.
 */
export type TransportFailure = "unreachable" | "timeout" | "foreign-answer";

const messages: Readonly<Record<TransportFailure, string>> = {
  unreachable: "The server cannot be reached.",
  timeout: "The server took too long to answer.",
  "foreign-answer": "What answered is not the service.",
};

/** There is no answer of the service. Whether it has done what it was asked for is not known. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly reason: TransportFailure;
  /** Of a foreign answer. */
  readonly httpStatus: number | undefined;

  constructor(reason: TransportFailure, { cause, httpStatus }: { cause?: unknown; httpStatus?: number } = {}) {
    super(messages[reason], cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}
