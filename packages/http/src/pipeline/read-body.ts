import { ServiceError } from "@sallyport/core";
import { readBytes } from "../body/read-bytes.ts";
import type { Step } from "./step.ts";

const limit = 1024 * 1024;

/** Reads the body of a route that needs one: 300 without bytes, 801 beyond 1 MiB. */
export const readBody: Step = async (exchange) => {
  if (exchange.route.body === undefined) return;
  exchange.bytes = await readBytes(exchange.request, limit);
  if (exchange.bytes.length === 0) throw new ServiceError(300);
};
