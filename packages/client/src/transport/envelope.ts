import { headerNames } from "@sallyport/contract/header-names";
import { type FailureCode, SallyportError, TransportError } from "../errors.ts";
import type { IncomingMessage } from "./transport.ts";

export interface Success<Data> {
  readonly data: Data;
  /** `ok`, or what a macro has set. */
  readonly message: string;
}

/** An envelope of the service. */
export interface ReadEnvelope {
  readonly code: FailureCode;
  readonly message: string;
  readonly debugMessage: string | undefined;
  /** `undefined` if there is none. */
  readonly data: unknown;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
/** The code of a success. */
export const success = 0;

/**
 * The payload of a success. A refusal is thrown as a `SallyportError`, and what is no envelope of the service as a
 * `TransportError`. That the payload has the expected shape is the server's promise, which is not checked again.
 */
export function successOf<Data>(answer: IncomingMessage): Success<Data> {
  const envelope = envelopeOf(answer);
  if (envelope === undefined) throw new TransportError("foreign-answer", { httpStatus: answer.status });
  if (envelope.code !== success) throw refusalOf(answer, envelope);
  if (envelope.data === undefined || answer.status >= 400)
    throw new TransportError("foreign-answer", { httpStatus: answer.status });
  return { data: envelope.data as Data, message: envelope.message };
}

/** The code of an answer in clear text, 0 for a success; `undefined` if it is no envelope. */
export function codeOf(answer: IncomingMessage): number | undefined {
  return envelopeOf(answer)?.code;
}

function refusalOf(
  { status, headers }: IncomingMessage,
  { code, message, debugMessage }: ReadEnvelope,
): SallyportError {
  const requestId = headers.get(headerNames.requestId) ?? undefined;
  return new SallyportError({
    code,
    message,
    debugMessage,
    httpStatus: status,
    requestId,
    retryAfter: retryAfterOf(headers),
  });
}

function envelopeOf({ body }: IncomingMessage): ReadEnvelope | undefined {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
  return readEnvelope(value);
}

/** What is in an envelope; `undefined` if it is none. */
export function readEnvelope(value: unknown): ReadEnvelope | undefined {
  if (!isRecord(value) || !isRecord(value["status"])) return undefined;
  const { internalStatus, statusMessage, debugMessage } = value["status"];
  if (typeof internalStatus !== "string" || !/^\d{1,6}$/.test(internalStatus) || typeof statusMessage !== "string")
    return undefined;
  return {
    code: Number(internalStatus),
    message: statusMessage,
    debugMessage: typeof debugMessage === "string" ? debugMessage : undefined,
    data: value["data"],
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** `Retry-After` in seconds, be it a number or a date; `undefined` without one that can be read. */
export function retryAfterOf(headers: IncomingMessage["headers"], now = Date.now()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}
