import type { Exchange } from "../pipeline/exchange.ts";
import type { ClientWaits } from "./client-waits.ts";

/** Milliseconds that any client may take for an answer. */
const grace = 1_000;

/**
 * Sees to an answer that the operating system has not taken yet, for the client does not read: after a moment it is
 * no work any more, but counted against the client's network.
 */
export function watchUntaken({ request, response, origin, share }: Exchange, untaken: ClientWaits): void {
  const { socket } = request;
  if (socket.destroyed || socket.writableLength === 0) return;
  const late = setTimeout(() => {
    share.end();
    untaken.enter(origin.network);
    response.once("close", () => untaken.leave(origin.network));
  }, grace);
  late.unref();
  response.once("close", () => clearTimeout(late));
}
