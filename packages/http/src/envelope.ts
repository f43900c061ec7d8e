import type { IncomingMessage } from "node:http";
import { formatEncryptedHeader, type Status, successMessage, successStatus } from "@sallyport/contract";
import { errorEntry, ServiceError } from "@sallyport/core";
import { writeAnswer } from "./answer.ts";
import { cookieHeader } from "./pipeline/credentials.ts";
import type { Exchange } from "./pipeline/exchange.ts";
import type { Success } from "./routes/route.ts";

/** JSON that is written already: as `data` of a success it is passed on as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

const plainStatus = JSON.stringify({ internalStatus: successStatus, statusMessage: successMessage });

/** The envelope of a success as text. */
export function successText({ data, message }: Success): string {
  const status =
    message === undefined ? plainStatus : JSON.stringify({ internalStatus: successStatus, statusMessage: message });
  return `{"status":${status},"data":${data instanceof JsonText ? data.text : JSON.stringify(data)}}`;
}

/** Writes the success of a use case. */
export async function writeSuccess(exchange: Exchange, success: Success): Promise<void> {
  const { version, location, cookie, seal } = success;
  if (version !== undefined) exchange.answerHeaders["ETag"] = `"${version}"`;
  if (cookie !== undefined) exchange.answerHeaders["Set-Cookie"] = cookieHeader(cookie);
  if (location !== undefined) exchange.answerHeaders["Location"] = location;
  const envelope = successText(success);
  if (seal === undefined) return writeAnswer(exchange, location === undefined ? 200 : 302, envelope);
  const sealed = await seal(Buffer.from(envelope));
  Object.assign(exchange.answerHeaders, {
    "Content-Type": "text/plain; charset=utf-8",
    Encrypted: formatEncryptedHeader(),
  });
  writeAnswer(exchange, 200, sealed);
}

/** Larger unread bodies are not worth reading to the end for the sake of the connection. */
const readToTheEnd = 8 * 1024 * 1024;

/** Cuts the connection if the rest of a refused body is larger than that. */
function limitRest(request: IncomingMessage): void {
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > readToTheEnd) request.socket.destroy();
  });
}

/** The failure as which anything thrown is answered. */
export function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
}

/** The envelope of a failure as text. */
export function failureText({ code, detail }: ServiceError, debugMessages: boolean): string {
  const status: Status = { internalStatus: String(code), statusMessage: errorEntry(code).name };
  if (debugMessages && detail !== undefined) status.debugMessage = detail;
  return JSON.stringify({ status });
}

/** Answers a request with a failure; the only place that renders one. */
export function writeFailure(exchange: Exchange, failure: ServiceError, debugMessages: boolean): void {
  const { answerHeaders, request, connection } = exchange;
  // Whoever is told that the server cannot now is told when to try again.
  const retryAfter = failure.retryAfter ?? (failure.status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) answerHeaders["Retry-After"] = String(retryAfter);
  const endless = failure.code === 801 || Number(request.headers["content-length"] ?? 0) > readToTheEnd;
  if (!request.complete && endless) connection.end();
  else if (!request.complete && !connection.isEnding) limitRest(request);
  writeAnswer(exchange, failure.status, failureText(failure, debugMessages));
}
