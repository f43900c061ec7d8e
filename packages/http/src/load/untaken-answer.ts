import type { Exchange } from "../pipeline/exchange.ts";

/** Milliseconds that any client may take for an answer before it counts as unread. */
const grace = 1_000;

/**
 * Watches an answer that is still in memory because the client does not read. Its bytes count against the client's network until they are
 * sent. After a second the request no longer counts as work. After `patience` milliseconds without progress the connection is cut.
 */
export function watchUntaken(
  { request, response, origin, share, untakenBytes, answerBytes }: Exchange,
  patience: number,
): void {
  const { socket } = request;
  if (socket.destroyed || socket.writableLength === 0) return;
  const { network } = origin;
  untakenBytes.take(network, answerBytes);
  const late = setTimeout(() => share.end(), grace).unref();
  const stalled = setTimeout(() => socket.destroy(), patience).unref();
  response.on("drain", () => stalled.refresh());
  response.once("close", () => {
    untakenBytes.giveBack(network, answerBytes);
    clearTimeout(late);
    clearTimeout(stalled);
  });
}
