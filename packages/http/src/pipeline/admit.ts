import { needsAppKey } from "@sallyport/contract";
import { type Admission, type Digest, explained, ServiceError } from "@sallyport/storage";
import {
  type AppKeyScope,
  appKeyDigest,
  builtInDigest,
  isConsoleKey,
  maintenanceError,
  requestChecks,
  type SessionReference,
} from "@sallyport/core";
import { admissionOf, idleTimeoutOf, requireAppKey, requireSession } from "../exchange/admission.ts";
import type { HttpSettings } from "../http-settings.ts";
import { isSpared } from "../exchange/administrator-checks.ts";
import { allowListedOrigin, allowOrigin } from "./cors.ts";
import {
  isAbsent,
  type PresentedCredentials,
  presentedCredentials,
  sessionCredentials,
  withKeyInQuery,
} from "../exchange/credentials.ts";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";
import { refuseEarly } from "./limit-rate.ts";

/** Maximum length in characters of a hashed app key. It bounds the cost of the digest. */
const maxAppKeyLength = 512;

/** Reads the app key, session and principal in one statement. Throws 706 during maintenance, and 800 early. */
export const admit: Step = async (exchange, parts) => {
  const { request, route, database, queryString } = exchange;
  const presented = presentedCredentials(request);
  exchange.credentials = route.access === "navigation" ? withKeyInQuery(presented, queryString) : presented;
  exchange.access =
    route.access === "optional"
      ? presentedAccess(exchange.credentials)
      : route.access === "navigation"
        ? "secrets"
        : route.access;
  if (exchange.access === "address") {
    exchange.admission = notYet;
    return;
  }
  const { value: key, conflict } = exchange.credentials.appKey;
  const asksForKey = needsAppKey(exchange);
  const digestOf = (scope: AppKeyScope): Digest | null =>
    key === null || conflict || key.length > maxAppKeyLength ? null : appKeyDigest(key, scope, parts.digests);
  // Keys of the other scope are unknown to the route.
  if (asksForKey) exchange.appKeyDigest = digestOf(route.administration ? "admin" : "app");
  refuseEarly(exchange, asksForKey, parts);
  if (exchange.access === "session") {
    const reading = referenceOf(exchange, parts);
    exchange.session = reading instanceof Promise ? await reading : reading;
    const { restsOn } = exchange.session ?? {};
    if (restsOn !== undefined) {
      const ofAdministrator = digestOf("admin");
      exchange.appKeyDigest = ofAdministrator === null ? null : builtInDigest;
      exchange.basis =
        ofAdministrator === null ? null : { appKey: ofAdministrator, session: restsOn, keyExpires: isConsoleKey(key) };
    }
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
function presentedAccess(credentials: PresentedCredentials): Exchange["access"] {
  if (sessionCredentials(credentials).length > 0) return "session";
  return isAbsent(credentials.appKey) ? "public" : "appKey";
}

/** The session of the single presented credential. With several credentials, no session is chosen. */
function referenceOf(
  { credentials, database, origin, request, route }: Exchange,
  { credentialReader: reader, reach }: Pick<PipelineParts, "credentialReader" | "reach">,
): SessionReference | null | Promise<SessionReference | null> {
  const [credential, ...others] = sessionCredentials(credentials);
  if (credential === undefined || others.length > 0 || credential.value === null || credential.conflict) return null;
  if (credential === credentials.sessionId) {
    const reference = reader.sessionId(credential.value);
    if (reference?.restsOn === undefined) return reference;
    // A session of a console opens no administration route, and none from where the console is not reached.
    return route.administration || !reach.admits(request) ? null : reference;
  }
  if (credential === credentials.authorization) return reader.authorization(database, credential.value, origin.network);
  return reader.secureToken(database, credential.value);
}

/** Throws 100 without an app key, and 101 if it is unknown, disabled or ambiguous. */
export const checkAppKey: Step = (exchange, { listedOrigins }) => {
  if (!needsAppKey(exchange)) {
    const { origin } = exchange.request.headers;
    return origin === undefined ? undefined : allowListedOrigin(exchange, origin, listedOrigins);
  }
  if (isAbsent(exchange.credentials.appKey)) throw new ServiceError(100);
  const appKey = requireAppKey(exchange);
  if (exchange.request.headers.origin !== undefined) allowOrigin(exchange, appKey, listedOrigins);
};

/** On a session route, requires exactly one valid credential in its own header. */
export const checkSession: Step = (exchange, { settings }) => {
  // A session is found for exactly one credential.
  if (exchange.access !== "session" || exchange.admission.session !== null) return;
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

/** Throws 340 in an enrolment session. */
export const checkEnrolment: Step = ({ access, admission: { session } }) => {
  if (access === "session" && session?.enrolling === true)
    throw explained(new ServiceError(340), {
      asked: requestChecks.enrolment,
      found: "No: the session is only for the set-up of a second factor. Then the user logs in again.",
    });
};
