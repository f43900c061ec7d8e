import { ServiceError } from "@sallyport/core";
import { readBytes } from "../body/read-bytes.ts";
import { awaitBody } from "./await-body.ts";
import { shedLoad } from "./shed-load.ts";
import type { Step } from "./step.ts";

const limit = 1024 * 1024;

/** Reads the body of a route that needs one: 300 without bytes, 801 beyond 1 MiB. */
export const readBody: Step = async (exchange, parts) => {
  if (exchange.route.body === undefined) return;
  if (exchange.request.complete) {
    exchange.bytes = await readBytes(exchange.request, limit);
  } else {
    exchange.bytes = await awaitBody(exchange, limit, parts);
    // While it waited, others may have taken its place.
    void shedLoad(exchange, parts);
  }
  if (exchange.bytes.length === 0) throw new ServiceError(300);
};
