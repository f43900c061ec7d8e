import { ServiceError } from "@sallyport/core";
import type { Presented } from "../credentials/presented-credentials.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Refuses a route that needs a session unless exactly one good credential came in its own header. */
export const checkSession: Step = (exchange, { settings }) => {
  if (exchange.route.access !== "session") return;
  const { sessionId, authorization, secureToken } = exchange.credentials;
  const presented = [sessionId, authorization, secureToken].filter(({ value }) => value !== null);
  if (presented.length === 0) throw new ServiceError(isEncrypted(exchange) ? 202 : settings.missingCredential);
  if (presented.every(isBlank)) throw new ServiceError(204);
  // No mode that uses these headers hands out credentials yet, so whatever they hold is invalid.
  if (!isAbsent(authorization) || !isAbsent(secureToken)) throw new ServiceError(203);
  if (exchange.admission.session?.mode !== "session") throw new ServiceError(201);
};

function isBlank({ value }: Presented): boolean {
  return value !== null && value.trim() === "";
}

function isAbsent(presented: Presented): boolean {
  return presented.value === null || (isBlank(presented) && !presented.conflict);
}

function isEncrypted({ request }: Exchange): boolean {
  return /^application\/text\b/i.test(request.headers["content-type"] ?? "");
}
