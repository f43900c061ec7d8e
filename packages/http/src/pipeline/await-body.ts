import { ServiceError } from "@sallyport/core";
import { readBytes } from "../body/read-bytes.ts";
import type { Exchange } from "./exchange.ts";
import type { PipelineParts } from "./step.ts";

/**
 * Reads a body that is still on its way. Meanwhile the request is not in work, so that slow bodies take nobody's
 * place: only so many are awaited, of one network and in all (706), and each for a time only (699).
 */
export async function awaitBody(exchange: Exchange, limit: number, parts: PipelineParts): Promise<Buffer> {
  const { request, response, origin, share, connection } = exchange;
  const { awaitedBodies, settings } = parts;
  if (awaitedBodies.isFull(origin.network)) {
    throw new ServiceError(706, { retryAfter: 1, detail: "Too many bodies are awaited." });
  }
  const given = new AbortController();
  const late = setTimeout(() => {
    connection.end();
    given.abort("The body took too long.");
  }, settings.bodyTimeout);
  awaitedBodies.take(origin.network);
  share.pause();
  try {
    connection.onBrokenBody((reason) => given.abort(reason));
    if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();
    return await readBytes(request, limit, given.signal);
  } finally {
    clearTimeout(late);
    awaitedBodies.giveBack(origin.network);
    share.resume();
  }
}
