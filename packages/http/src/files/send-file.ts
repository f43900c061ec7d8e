import type { ServerResponse } from "node:http";
import { ServiceError } from "@sallyport/storage";
import { isFileName, type OpenedFile } from "@sallyport/core";
import { fixedHeaders } from "../envelope.ts";
import type { Exchange, PipelineParts } from "../exchange/exchange.ts";
import { SessionWatch } from "../exchange/session-watch.ts";
import type { Download } from "../route.ts";
import type { Pace } from "../http-settings.ts";
import { allowedWait } from "./body-reader.ts";
import { listsTag, requestedRange } from "./byte-ranges.ts";
import { requireTransfer } from "./open-stream.ts";
import { turn } from "./piece-turns.ts";

/**
 * Answers with a file: 200, 206 for one range, or 304 if the client has it. In a secure session the body is ciphertext,
 * and no header tells anything about the file. A failure after the first byte destroys the connection, and so do the end
 * of the session and of the right to read the file.
 */
export async function sendFile(
  exchange: Exchange,
  parts: PipelineParts,
  { file, embeddable = false }: Download,
): Promise<void> {
  const { request, response, connection, requestId, answerHeaders, channel, origin, share } = exchange;
  const { size } = file;
  const tag = `"${file.etag}"`;
  const { "Content-Type": _json, ...fixed } = fixedHeaders;
  const headers = {
    ...fixed,
    "Cache-Control": channel !== null ? "no-store" : embeddable ? "private, no-store" : "private, no-cache",
    "Content-Security-Policy": policy,
    "X-Request-Id": requestId,
    ETag: tag,
    "Accept-Ranges": "bytes",
    ...(connection.isEnding ? { Connection: "close" } : {}),
    ...answerHeaders,
  };
  if (listsTag(request.headers["if-none-match"], tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const { range: rangeHeader, "if-range": ifRange = tag } = request.headers;
  const range = ifRange.toString().trim() === tag ? requestedRange(rangeHeader, size) : null;
  if (range === undefined) {
    answerHeaders["Content-Range"] = `bytes */${size}`;
    throw new ServiceError(600);
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  const length = last - first + 1;
  requireTransfer(exchange, parts);
  parts.transfers.take(origin.network);
  share.pause();
  let plain: AsyncIterable<Uint8Array> | undefined;
  let refused: ServiceError | null = null;
  const watch = new SessionWatch(exchange, {
    isAllowed: (context) => file.isReadable(context),
    onEnd: (refusal) => {
      refused = refusal;
      request.socket.destroy();
    },
  });
  try {
    // A failure to open is answered in an envelope, so it comes before the head.
    plain = await file.read({ offset: first, length });
    const sealed = channel?.sealStream(plain);
    response.writeHead(range === null ? 200 : 206, {
      ...headers,
      "Content-Type": channel === null ? inertMediaType(file.mediaType) : octets,
      "Content-Disposition": channel === null ? disposition(file, embeddable) : "attachment",
      ...(channel === null ? validators(file) : {}),
      "Content-Length": length,
      ...(range === null ? {} : { "Content-Range": `bytes ${first}-${last}/${size}` }),
      ...sealed?.headers,
    });
    await write(response, sealed?.bytes ?? plain, { length, pace: parts.settings.downloadPace });
  } catch (error) {
    if (response.headersSent) request.socket.destroy();
    // An iteration that has not begun does not end by itself.
    await plain?.[Symbol.asyncIterator]().return?.();
    throw refused ?? error;
  } finally {
    watch.close();
    parts.transfers.release(origin.network);
    share.resume();
  }
}

/** Writes the bytes as fast as the client reads them. Throws 699 if it stops reading, or reads too slowly. */
async function write(
  response: ServerResponse,
  bytes: AsyncIterable<Uint8Array>,
  { length, pace }: { readonly length: number; readonly pace: Pace },
): Promise<void> {
  let [written, waited] = [0, 0];
  for await (const piece of bytes) {
    await turn();
    if (response.destroyed) throw lost("The client closed the connection.");
    written += piece.length;
    if (written > length || response.write(piece)) continue;
    const since = performance.now();
    const left = allowedWait(pace, written) - waited;
    await (left < pace.silence
      ? drained(response, left, "The client reads too slowly.")
      : drained(response, pace.silence, "The client stopped reading."));
    waited += performance.now() - since;
  }
  if (written !== length) throw new ServiceError(707, { detail: "The file has another length than recorded." });
  response.end();
}

function drained(response: ServerResponse, timeout: number, failure: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      clearTimeout(late);
      response.off("drain", onDrain).off("close", onClose);
      outcome();
    };
    const onDrain = () => settle(resolve);
    const onClose = () => settle(() => reject(lost("The client closed the connection.")));
    const late = setTimeout(() => settle(() => reject(lost(failure))), timeout);
    response.on("drain", onDrain).on("close", onClose);
    if (response.destroyed) onClose();
  });
}

function lost(detail: string): ServiceError {
  return new ServiceError(699, { detail });
}

/**
 * A write of the object can change the name and the media type, so it counts as a modification. It has no time after the
 * answer's (RFC 9110). The digest is that of the whole file, also if a range is sent (RFC 9530).
 */
function validators({ modifiedAt, sha256 }: Pick<OpenedFile, "modifiedAt" | "sha256">): Record<string, string> {
  return {
    "Last-Modified": new Date(Math.min(modifiedAt, Date.now())).toUTCString(),
    "Repr-Digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
  };
}

/** A file opens in no browser window, and even there it could run nothing. */
const policy = "default-src 'none'; frame-ancestors 'none'; sandbox";

const octets = "application/octet-stream";

const inert =
  /^(?:text\/(?:plain|csv)|image\/(?!svg)[a-z0-9.+-]+|(?:audio|video|font)\/[a-z0-9.+-]+|application\/(?:pdf|json|zip|gzip|msword|rtf|vnd\.[a-z0-9.+-]+))$/;

/** The media type, if no browser runs or renders documents of it. Otherwise plain bytes. */
export function inertMediaType(mediaType: string | null): string {
  const type = mediaType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return inert.test(type) && !type.endsWith("+xml") ? type : octets;
}

/** Media types that a browser shows without running or fetching anything. */
const embedded = /^(?:image\/(?:apng|avif|bmp|gif|jpeg|png|webp)|(?:audio|video)\/[a-z0-9.+-]+)$/;

/**
 * `Content-Disposition` of a download (RFC 6266): the name as it is, and one in ASCII for old clients. Both obey the rule of
 * names; a name from before the rule is replaced. `inline` only for images of pixels, audio and video, and only if the file
 * is embeddable.
 */
export function disposition(
  { name: stored, mediaType }: { readonly name: string; readonly mediaType: string | null },
  embeddable = false,
): string {
  const type = embeddable && embedded.test(inertMediaType(mediaType)) ? "inline" : "attachment";
  const name = isFileName(stored) ? stored : "file";
  const ascii = asciiName(name);
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return ascii === name ? `${type}; filename="${name}"` : `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Letters and digits lose their marks. Everything else is not folded, as it could become a separator or a dot. */
function asciiName(name: string): string {
  const folded = Array.from(name, (character) => {
    if (/[ -~]/.test(character)) return character;
    const plain = character.normalize("NFKD").replaceAll(/\p{M}/gu, "");
    return /^[A-Za-z0-9]*$/.test(plain) ? plain : "_";
  }).join("");
  // It can be the name of a device, or too long.
  const accepted = isFileName(folded) ? folded : name.replaceAll(/[^ -~]/gu, "_");
  return accepted.replaceAll(/["%]/g, "_");
}
