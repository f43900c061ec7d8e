import { type Status, successMessage, successStatus } from "@sallyport/contract";
import { errorEntry, ServiceError } from "@sallyport/storage";
import { JsonText, type Success } from "./route.ts";

/** Headers of every enveloped response. They forbid caching, content sniffing and framing. */
export const fixedHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

const plainStatus = JSON.stringify({ internalStatus: successStatus, statusMessage: successMessage });

/** Envelope of a success as text. `hint`: its `debugMessage`. */
export function successText(success: Success, hint?: string): string {
  return successPieces(success, hint).join("");
}

/** Like `successText`, in pieces. */
export function successPieces({ data, message = successMessage }: Success, hint?: string): readonly string[] {
  const status =
    message === successMessage && hint === undefined
      ? plainStatus
      : JSON.stringify({ internalStatus: successStatus, statusMessage: message, debugMessage: hint });
  const before = `{"status":${status},"data":`;
  return data instanceof JsonText ? [before, ...data.pieces, "}"] : [`${before}${JSON.stringify(data)}}`];
}

/** Result of one item of a request: its HTTP status and envelope as text. */
export function resultText(httpStatus: number, envelope: string): string {
  return `{"httpStatus":${httpStatus},"result":${envelope}}`;
}

/** Maps any thrown value to a `ServiceError`. Unknown errors become 799. */
export function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
}

/** Envelope of a failure as text. `hint`: the end of its `debugMessage`. */
export function failureText({ code, detail, notice }: ServiceError, debugMessages: boolean, hint?: string): string {
  const status: Status = { internalStatus: String(code), statusMessage: errorEntry(code).name };
  const message = [detail, hint].filter((part) => part !== undefined).join(" ");
  if (debugMessages && message !== "") status.debugMessage = message;
  if (notice !== undefined) status.notice = notice;
  return JSON.stringify({ status });
}
