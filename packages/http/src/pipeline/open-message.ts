import { headerNames } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";
import { bodyLimit } from "./read-body.ts";
import type { Step } from "./step.ts";

/** In a secure session: what the body says (312 if it is no message of this session, 801 if it says more than 1 MiB). */
export const openMessage: Step = async (exchange) => {
  const { bytes, channel, request } = exchange;
  if (channel === null || bytes.length === 0) return;
  const header = request.headers[headerNames.encrypted];
  exchange.bytes = await channel.open(Array.isArray(header) ? header.join() : header, bytes);
  if (exchange.bytes.length > bodyLimit) throw new ServiceError(801);
};
