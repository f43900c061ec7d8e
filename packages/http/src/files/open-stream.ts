import { headerNames, type StreamBody, streamTypes } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";
import { SessionWatch } from "../exchange/session-watch.ts";
import { BodyReader } from "./body-reader.ts";
import type { StreamedBody } from "../route.ts";

/**
 * Prepares the body of a route that reads it as a stream. No byte of a body is read yet, except to find out whether an
 * optional body in chunks is empty. Throws 207 for another type than those of the route, 300 for a missing body, and 706
 * if too many files are transferred.
 */
export const openStream: Step = async (exchange, parts) => {
  const { request } = exchange;
  const declared = exchange.route.body as StreamBody;
  const { headers } = request;
  const isChunked = headers["transfer-encoding"] !== undefined;
  const mayBeEmpty = declared.optional === true;
  if (!isChunked && (headers["content-length"] ?? "0") === "0") {
    if (mayBeEmpty) return;
    // 207 comes before 300.
    requireType(exchange, declared);
    throw new ServiceError(300);
  }
  // Some clients send `Transfer-Encoding: chunked` with an empty body.
  if (isChunked && mayBeEmpty) {
    // An empty body needs no type, so the type is not read yet.
    const body = beginTransfer(exchange, parts, streamTypes.bytes);
    // From here on, a failure of the request closes the body.
    exchange.stream = body;
    if (!(await body.isEmpty())) {
      exchange.stream = { ...body, type: requireType(exchange, declared) };
      return;
    }
    body.close();
    // The route sees that there is no body.
    exchange.stream = null;
  } else {
    exchange.stream = beginTransfer(exchange, parts, requireType(exchange, declared));
  }
};

type PeekedBody = StreamedBody & { readonly isEmpty: () => Promise<boolean> };

/** Counts a transfer until the body is closed, at the latest when the session ends. Throws 706 if too many files are transferred. */
function beginTransfer(exchange: Exchange, parts: PipelineParts, type: StreamedBody["type"]): PeekedBody {
  const { request, response, connection, origin, share, channel } = exchange;
  const { transfers, settings } = parts;
  requireTransfer(exchange, parts);
  const reader = new BodyReader(request, response, connection, settings.uploadPace);
  const watch = new SessionWatch(exchange, { onEnd: (refusal) => reader.close(refusal) });
  const header = request.headers[headerNames.encrypted];
  const pieces = reader.pieces();
  let isClosed = false;
  transfers.take(origin.network);
  // A request does not count as load while it waits for its client.
  share.pause();
  return {
    type,
    contentType: request.headers["content-type"] ?? "",
    length: request.headers["content-length"] === undefined ? null : Number(request.headers["content-length"]),
    bytes: channel === null ? pieces : channel.decryptedStream(Array.isArray(header) ? header.join() : header, pieces),
    isEmpty: () => reader.isEmpty(),
    hasBegun: () => reader.hasBegun,
    close: () => {
      if (isClosed) return;
      isClosed = true;
      watch.close();
      reader.close();
      transfers.release(origin.network);
      share.resume();
    },
  };
}

/** Throws 706 if too many files are transferred from this network or in total. */
export function requireTransfer({ origin }: Exchange, { transfers }: PipelineParts): void {
  if (transfers.isFull(origin.network))
    throw new ServiceError(706, { retryAfter: 1, detail: "Too many files are transferred." });
}

// The boundary has at most 70 characters (RFC 2046).
const multipart = /^multipart\/form-data[\t ]*;(?:[^"]*;)?[\t ]*boundary=(?:[^\s;"]{1,70}|"[^"]{1,70}")[\t ]*(?:;|$)/i;
const octets = /^application\/octet-stream[\t ]*(?:;|$)/i;

/** The media type of the body. Throws 207 if the route does not accept it. */
function requireType({ request: { headers } }: Exchange, { stream }: StreamBody): StreamedBody["type"] {
  const contentType = headers["content-type"] ?? "";
  const type = multipart.test(contentType)
    ? streamTypes.multipart
    : octets.test(contentType)
      ? streamTypes.bytes
      : null;
  if (type === null || !stream.includes(type)) throw new ServiceError(207);
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    throw new ServiceError(207, { detail: "Compressed bodies are not supported." });
  return type;
}
