import { ServiceError } from "@sallyport/core";
import { SecureExchange } from "../secure/secure-exchange.ts";
import type { Step } from "./step.ts";

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
