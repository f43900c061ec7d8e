import { headerNames } from "@sallyport/contract";
import type { Step } from "./step.ts";

/** In a secure session: what the body says (312 if it is no message of this session). */
export const openMessage: Step = async (exchange) => {
  const { bytes, channel, request } = exchange;
  if (channel === null || bytes.length === 0) return;
  const header = request.headers[headerNames.encrypted];
  exchange.bytes = await channel.open(Array.isArray(header) ? header.join() : header, bytes);
};
