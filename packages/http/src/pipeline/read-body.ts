import { ServiceError } from "@sallyport/core";
import { readBytes } from "../body/read-bytes.ts";
import { awaitBody } from "./await-body.ts";
import { shedLoad } from "./shed-load.ts";
import type { Step } from "./step.ts";

/** Bytes of what somebody sends who has logged in. */
const limit = 1024 * 1024;
/** Bytes of what anybody may send, and keep in memory by sending it slowly. */
const strangersLimit = 64 * 1024;

/** Reads the body of a route that needs one: 300 without bytes, 801 beyond 1 MiB, or 64 KiB where no session is needed. */
export const readBody: Step = async (exchange, parts) => {
  const { route, request } = exchange;
  if (route.body === undefined) return;
  const most = route.access === "session" ? limit : strangersLimit;
  if (request.complete) {
    exchange.bytes = await readBytes(request, most);
  } else {
    exchange.bytes = await awaitBody(exchange, most, parts);
    // While it waited, others may have taken its place.
    void shedLoad(exchange, parts);
  }
  if (exchange.bytes.length === 0) throw new ServiceError(300);
};
