import { ServiceError } from "@sallyport/core";
import { isAbsent, overCode } from "../credentials/presented-credentials.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpSettings } from "../server/http-settings.ts";
import type { Step } from "./step.ts";

/** Refuses a route that needs a session unless exactly one good credential came in its own header. */
export const checkSession: Step = (exchange, { settings }) => {
  if (exchange.access !== "session") return;
  const { sessionId, authorization, secureToken } = exchange.credentials;
  const presented = [sessionId, authorization, secureToken].filter(({ value }) => value !== null);
  if (presented.length === 0) throw new ServiceError(missingCode(exchange, settings));
  if (presented.every(isAbsent)) throw new ServiceError(204);
  if (exchange.admission.session !== null) return;
  throw new ServiceError(overCode(exchange.credentials));
};

/** Which code says that there is no credential: 202 to clients that encrypt, unless all are to be told the same. */
function missingCode({ request }: Exchange, { missingCredential }: HttpSettings): 200 | 202 | 204 {
  const encrypted = /^application\/text[\t ]*(?:;|$)/i.test(request.headers["content-type"] ?? "");
  return encrypted && missingCredential === 200 ? 202 : missingCredential;
}
