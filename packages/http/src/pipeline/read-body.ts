import { ServiceError } from "@sallyport/core";
import { readBytes } from "../body/read-bytes.ts";
import { awaitBody } from "./await-body.ts";
import { requireContentType } from "./check-content-type.ts";
import { needsBody } from "../routes/needs-body.ts";
import type { Exchange } from "./exchange.ts";
import { shedLoad } from "./shed-load.ts";
import type { Step } from "./step.ts";
import { mayBeEmpty, takesBody } from "./takes-body.ts";

/** Bytes of what somebody sends who has logged in. */
export const bodyLimit = 1024 * 1024;
/** The same as base64, which up to two bytes more fit in. */
const encryptedLimit = Math.ceil(bodyLimit / 3) * 4;
/** Bytes of what anybody may send, and keep in memory by sending it slowly. */
const strangersLimit = 64 * 1024;

/**
 * Reads a body that is to be read: 300 without bytes where the route needs one; 801 beyond 1 MiB, which an encrypted
 * body has as base64, or 64 KiB where no session is needed.
 */
export const readBody: Step = async (exchange, parts) => {
  if (!takesBody(exchange)) return;
  const { route, request, connection } = exchange;
  const most = mostBytes(exchange);
  if (request.complete && !connection.isBodyBroken) {
    exchange.bytes = await readBytes(request, most);
  } else {
    exchange.bytes = await awaitBody(exchange, most, parts);
    // While it waited, others may have taken its place.
    void shedLoad(exchange, parts);
  }
  if (exchange.bytes.length > 0 && mayBeEmpty(exchange)) requireContentType(exchange);
  if (exchange.bytes.length === 0 && needsBody(route)) throw new ServiceError(300);
};

function mostBytes({ access, channel }: Exchange): number {
  if (access !== "session") return strangersLimit;
  return channel === null ? bodyLimit : encryptedLimit;
}
