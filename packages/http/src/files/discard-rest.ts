import type { Exchange } from "../pipeline/exchange.ts";

/** Bytes of a refused body that are read, so that the client can read its answer. */
const discardedAtMost = 8 * 1024 * 1024;
/** Milliseconds for them. */
const discardTime = 5_000;

/**
 * Reads and discards the rest of a body, then calls back. Destroys the connection if the rest is too long or too slow,
 * because it would be read as the next request.
 */
export function discardRest({ request, response, connection }: Exchange, answered: () => void): void {
  let length = 0;
  const destroy = () => {
    answered();
    request.socket.destroySoon();
  };
  const late = setTimeout(destroy, discardTime);
  const end = () => {
    clearTimeout(late);
    answered();
  };
  connection.onBrokenBody(destroy);
  request.on("data", (piece: Buffer) => {
    length += piece.length;
    if (length > discardedAtMost) destroy();
  });
  request.once("end", end);
  response.once("close", () => clearTimeout(late));
  request.resume();
}
