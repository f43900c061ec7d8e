import { type Admission, explained, ServiceError } from "@sallyport/storage";
import { type CredentialReader, maintenanceError, requestChecks, type SessionReference } from "@sallyport/core";
import { admissionOf, requireAppKey, requireSession } from "./admission.ts";
import type { Route } from "../routes/route.ts";
import type { HttpSettings } from "../server/http-settings.ts";
import { digestInScope, idleTimeoutOf, isSpared } from "./administration.ts";
import { allowListedOrigin, allowOrigin } from "./cors.ts";
import {
  isAbsent,
  type CredentialHeader,
  type PresentedCredentials,
  presentedCredentials,
  withKeyInQuery,
} from "./credentials.ts";
import type { Exchange, Step } from "./exchange.ts";
import { refuseEarly } from "./limit-rate.ts";

/** Maximum length in characters of a hashed app key. It bounds the cost of the digest. */
const maxAppKeyLength = 512;

/** Reads the app key, session and principal in one statement. Throws 706 during maintenance, and 800 early. */
export const admit: Step = async (exchange, parts) => {
  const { request, route, database, queryString } = exchange;
  const presented = presentedCredentials(request);
  exchange.credentials = route.access === "navigation" ? withKeyInQuery(presented, queryString) : presented;
  exchange.access = accessOf(route, exchange.credentials);
  if (exchange.access === "address") {
    exchange.admission = notYet;
    return;
  }
  const key = single(exchange.credentials.appKey);
  const asksForKey = exchange.access !== "public";
  exchange.appKeyDigest =
    asksForKey && key !== null && key.length <= maxAppKeyLength ? digestInScope(key, route, parts) : null;
  refuseEarly(exchange, asksForKey, parts);
  if (exchange.access === "session") {
    const reading = referenceOf(exchange, parts.credentialReader);
    exchange.session = reading instanceof Promise ? await reading : reading;
  }

  exchange.admission = await admissionOf(exchange, idleTimeoutOf(exchange));
  if (exchange.admission.maintenance && !isSpared(route)) throw await maintenanceError(database);
};

/** For `address` routes the use case performs the admission. */
const notYet: Admission = {
  maintenance: false,
  modelGeneration: 0,
  settingsGeneration: 0,
  appKey: null,
  session: null,
  principal: null,
};

/** The access level of an optional route follows from the presented credentials. */
function accessOf(
  { access }: Route,
  { appKey, sessionId, authorization, secureToken }: PresentedCredentials,
): Exchange["access"] {
  if (access === "navigation") return "secrets";
  if (access !== "optional") return access;
  if (![sessionId, authorization, secureToken].every(isAbsent)) return "session";
  return isAbsent(appKey) ? "public" : "appKey";
}

/** The session of the single presented credential. With several credentials, no session is chosen. */
function referenceOf(
  { credentials, database, origin }: Exchange,
  reader: CredentialReader,
): SessionReference | null | Promise<SessionReference | null> {
  const { sessionId, authorization, secureToken } = credentials;
  if ([sessionId, authorization, secureToken].filter((each) => !isAbsent(each)).length !== 1) return null;
  const [id, jwt, token] = [single(sessionId), single(authorization), single(secureToken)];
  if (id !== null && !isAbsent(sessionId)) return reader.sessionId(id);
  if (jwt !== null && !isAbsent(authorization)) return reader.authorization(database, jwt, origin.network);
  if (token !== null && !isAbsent(secureToken)) return reader.secureToken(database, token);
  return null;
}

/** The value of a header without conflicting duplicates. */
function single({ value, conflict }: CredentialHeader): string | null {
  return conflict ? null : value;
}

/** Throws 100 without an app key, and 101 if it is unknown, disabled or ambiguous. */
export const checkAppKey: Step = (exchange, { listedOrigins }) => {
  if (exchange.access === "public" || exchange.access === "address") {
    const { origin } = exchange.request.headers;
    return origin === undefined ? undefined : allowListedOrigin(exchange, origin, listedOrigins);
  }
  if (isAbsent(exchange.credentials.appKey)) throw new ServiceError(100);
  allowOrigin(exchange, requireAppKey(exchange), listedOrigins);
};

/** On a session route, requires exactly one valid credential in its own header. */
export const checkSession: Step = (exchange, { settings }) => {
  if (exchange.access !== "session") return;
  const { sessionId, authorization, secureToken } = exchange.credentials;
  const presented = [sessionId, authorization, secureToken].filter(({ value }) => value !== null);
  if (presented.length === 0) throw new ServiceError(missingCode(exchange, settings));
  if (presented.every(isAbsent)) throw new ServiceError(204);
  requireSession(exchange);
};

/** Code for a missing credential: 202 for clients that encrypt, unless the configuration sets one code for all. */
function missingCode({ request }: Exchange, { missingCredential }: HttpSettings): 200 | 202 | 204 {
  const encrypted = /^application\/text[\t ]*(?:;|$)/i.test(request.headers["content-type"] ?? "");
  return encrypted && missingCredential === 200 ? 202 : missingCredential;
}

/** Throws 340 if an enrolment session calls a route that it does not allow. */
export const checkEnrolment: Step = ({ access, admission: { session }, route }) => {
  if (access === "session" && session?.enrolling === true && route.enrolling !== true)
    throw explained(new ServiceError(340), {
      asked: requestChecks.enrolment,
      found: "No: the session is only for the set-up of a second factor. Then the user logs in again.",
    });
};
