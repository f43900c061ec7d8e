import type { IncomingMessage } from "node:http";
import { formatEncryptedHeader, type Status, successMessage, successStatus } from "@sallyport/contract";
import { errorEntry, ServiceError } from "@sallyport/storage";
import { writeAnswer, writeCompressible } from "./answer.ts";
import { cookieHeader } from "./pipeline/credentials.ts";
import type { Exchange } from "./pipeline/exchange.ts";
import { JsonText, type Route, type Success } from "./routes/route.ts";

const plainStatus = JSON.stringify({ internalStatus: successStatus, statusMessage: successMessage });

/** Envelope of a success as text. `hint`: its `debugMessage`. */
export function successText({ data, message = successMessage }: Success, hint?: string): string {
  const status =
    message === successMessage && hint === undefined
      ? plainStatus
      : JSON.stringify({ internalStatus: successStatus, statusMessage: message, debugMessage: hint });
  return `{"status":${status},"data":${data instanceof JsonText ? data.text : JSON.stringify(data)}}`;
}

/** Writes the success of a use case. */
export async function writeSuccess(exchange: Exchange, success: Success): Promise<void> {
  const { version, location, cookie, seal } = success;
  exchange.discardsRest = isStreamed(exchange) && !exchange.request.complete;
  if (version !== undefined) exchange.answerHeaders["ETag"] = `"${version}"`;
  if (cookie !== undefined) exchange.answerHeaders["Set-Cookie"] = cookieHeader(cookie);
  if (location !== undefined) exchange.answerHeaders["Location"] = location;
  const envelope = successText(success, exchange.hint);
  if (seal === undefined) {
    const status = location === undefined ? 200 : 302;
    const { data } = success;
    return data instanceof JsonText && !data.isCompressible
      ? writeAnswer(exchange, status, envelope)
      : writeCompressible(exchange, status, envelope);
  }
  const sealed = await seal(Buffer.from(envelope));
  Object.assign(exchange.answerHeaders, {
    "Content-Type": "text/plain; charset=utf-8",
    Encrypted: formatEncryptedHeader(),
  });
  writeAnswer(exchange, 200, sealed);
}

/** Bytes. A larger unread body costs more than a new connection. */
const readToTheEnd = 8 * 1024 * 1024;

/** Destroys the connection if the rest of a refused body exceeds `readToTheEnd`. */
function limitRest(request: IncomingMessage): void {
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > readToTheEnd) request.socket.destroy();
  });
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

/** Whether the body belongs to a route that reads it as a stream. Before the route is known it does not. */
function isStreamed({ route }: { readonly route?: Route }): boolean {
  return route?.body?.stream !== undefined;
}

/** Whether the client waits for 100 (Continue). After another answer it may send the body or the next request. */
function awaitsContinue({ request, stream }: Exchange): boolean {
  return request.headers.expect !== undefined && stream?.hasBegun() !== true;
}

/** Answers a request with a failure. All failures of parsed requests are written here. */
export function writeFailure(exchange: Exchange, failure: ServiceError, debugMessages: boolean): void {
  const { answerHeaders, request, connection } = exchange;
  // Every 503 has a `Retry-After`.
  const retryAfter = failure.retryAfter ?? (failure.status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) answerHeaders["Retry-After"] = String(retryAfter);
  if (failure.restartsSync === true) answerHeaders["Sync-Restart"] = "1";
  if (!exchange.hasBegun) answerHeaders["Not-Executed"] = "1";
  const endless = failure.code === 801 || Number(request.headers["content-length"] ?? 0) > readToTheEnd;
  if (request.complete) {
    // Nothing is left to read.
  } else if (isStreamed(exchange)) {
    exchange.discardsRest = failure.code !== 699 && !awaitsContinue(exchange);
    if (!exchange.discardsRest) connection.end();
  } else if (endless) connection.end();
  else if (!connection.isEnding) limitRest(request);
  writeAnswer(exchange, failure.status, failureText(failure, debugMessages, exchange.hint));
}
