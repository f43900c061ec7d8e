import { headerNames } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";
import { bodyLimit } from "../body/read-body.ts";
import { SecureExchange } from "./secure-exchange.ts";
import type { Step } from "./exchange.ts";

/**
 * In a secure session all later answers are encrypted. A log-out also works if the session key cannot be unwrapped (314); its answer is
 * not encrypted.
 */
export const openChannel: Step = (exchange, { traffic }) => {
  const { database, admission, session } = exchange;
  const channel = admission.session?.channel;
  if (channel === undefined || session === null) return;
  return traffic.open(database, session.digest, channel).then(
    (open) => {
      exchange.channel = new SecureExchange(traffic, open, database, session.digest);
    },
    (error: unknown) => {
      if (exchange.route.endsSession !== true || !(error instanceof ServiceError) || error.code !== 314) throw error;
    },
  );
};

/** In a secure session: what the body says (312 if it is no message of this session, 801 if it says more than 1 MiB). */
export const openMessage: Step = async (exchange) => {
  const { bytes, channel, request } = exchange;
  if (channel === null || bytes.length === 0) return;
  const header = request.headers[headerNames.encrypted];
  exchange.bytes = await channel.open(Array.isArray(header) ? header.join() : header, bytes);
  if (exchange.bytes.length > bodyLimit) throw new ServiceError(801);
};
