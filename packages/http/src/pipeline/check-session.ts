import { ServiceError } from "@sallyport/core";
import { isAbsent, isBlank } from "../credentials/presented-credentials.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Refuses a route that needs a session unless exactly one good credential came in its own header. */
export const checkSession: Step = (exchange, { settings }) => {
  if (exchange.route.access !== "session") return;
  const { sessionId, authorization, secureToken } = exchange.credentials;
  const presented = [sessionId, authorization, secureToken].filter(({ value }) => value !== null);
  if (presented.length === 0) throw new ServiceError(isEncrypted(exchange) ? 202 : settings.missingCredential);
  if (presented.every(isBlank)) throw new ServiceError(204);
  if (exchange.admission.session !== null) return;
  throw new ServiceError(isAbsent(authorization) && isAbsent(secureToken) ? 201 : 203);
};

function isEncrypted({ request }: Exchange): boolean {
  return /^application\/text\b/i.test(request.headers["content-type"] ?? "");
}
