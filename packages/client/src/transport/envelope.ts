import { headerNames } from "@sallyport/contract/header-names";
import { type FailureCode, SallyportError, TransportError } from "../errors.ts";
import type { IncomingMessage } from "./transport.ts";

export interface Success<Data> {
  readonly data: Data;
  /** `ok`, or the status message of a macro. */
  readonly message: string;
}

/** A parsed response envelope. */
export interface ReadEnvelope {
  readonly code: FailureCode;
  readonly message: string;
  readonly debugMessage: string | undefined;
  readonly notice: string | undefined;
  /** `undefined` if absent. */
  readonly data: unknown;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
/** The code of a success. */
export const success = 0;

/**
 * The payload of a success. Throws a `SallyportError` for a refusal, a `TransportError` if the response is not an
 * envelope. The shape of the payload is not validated.
 */
export function successOf<Data>(answer: IncomingMessage): Success<Data> {
  const envelope = envelopeOf(answer);
  if (envelope === undefined) throw new TransportError("foreign-answer", { httpStatus: answer.status });
  if (envelope.code !== success) throw refusalOf(answer, envelope);
  if (envelope.data === undefined || answer.status >= 400)
    throw new TransportError("foreign-answer", { httpStatus: answer.status });
  return { data: envelope.data as Data, message: envelope.message };
}

/** Throws the refusal of a response, or a `TransportError` if it is not one: with such a status, the server sends no success. */
export function refuse(answer: IncomingMessage): never {
  successOf(answer);
  throw new TransportError("foreign-answer", { httpStatus: answer.status });
}

/** The code of an unencrypted response, 0 for a success, `undefined` if it is not an envelope. */
export function codeOf(answer: IncomingMessage): number | undefined {
  return envelopeOf(answer)?.code;
}

function refusalOf(
  { status, headers }: IncomingMessage,
  { code, message, debugMessage, notice }: ReadEnvelope,
): SallyportError {
  const requestId = headers.get(headerNames.requestId) ?? undefined;
  return new SallyportError({
    code,
    message,
    debugMessage,
    notice,
    httpStatus: status,
    requestId,
    retryAfter: retryAfterOf(headers),
    notExecuted: headers.get(headerNames.notExecuted) !== null,
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

/** Parses an envelope. `undefined` if the value is not one. */
export function readEnvelope(value: unknown): ReadEnvelope | undefined {
  if (!isRecord(value) || !isRecord(value["status"])) return undefined;
  const { internalStatus, statusMessage, debugMessage, notice } = value["status"];
  if (typeof internalStatus !== "string" || !/^\d{1,6}$/.test(internalStatus) || typeof statusMessage !== "string")
    return undefined;
  return {
    code: Number(internalStatus),
    message: statusMessage,
    debugMessage: typeof debugMessage === "string" ? debugMessage : undefined,
    notice: typeof notice === "string" ? notice : undefined,
    data: value["data"],
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** `Retry-After` in seconds, from a number or a date. `undefined` if absent or malformed. */
export function retryAfterOf(headers: IncomingMessage["headers"], now = Date.now()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}
