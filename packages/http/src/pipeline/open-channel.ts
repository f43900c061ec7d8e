import { SecureExchange } from "../secure/secure-exchange.ts";
import type { Step } from "./step.ts";

/** In a secure session: from here on, whatever is answered is encrypted. */
export const openChannel: Step = (exchange, { traffic }) => {
  const { database, admission, session } = exchange;
  const channel = admission.session?.channel;
  if (channel === undefined || session === null) return;
  return traffic.open(database, session.digest, channel).then((open) => {
    exchange.channel = new SecureExchange(traffic, open, database, session.digest);
  });
};
