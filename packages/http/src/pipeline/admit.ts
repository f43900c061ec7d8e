import { type Admission, type CredentialReader, refuseMaintenance, type SessionReference } from "@sallyport/core";
import {
  isAbsent,
  type Presented,
  type PresentedCredentials,
  presentedCredentials,
  withKeyInQuery,
} from "../credentials/presented-credentials.ts";
import type { Route } from "../routes/route.ts";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";

/** Longer than any app key, shorter than an attack on the digest. */
const longestAppKey = 512;

/** Looks up everything that decides whether the request may enter, in one statement; 706 during maintenance. */
export const admit: Step = async (exchange, { digests, credentialReader }) => {
  const { request, route, database, queryString } = exchange;
  const presented = presentedCredentials(request);
  exchange.credentials = route.keyInQuery === true ? withKeyInQuery(presented, queryString) : presented;
  exchange.access = accessOf(route, exchange.credentials);
  if (exchange.access === "returning") {
    exchange.admission = notYet;
    return;
  }
  const key = single(exchange.credentials.appKey);
  const asksForKey = exchange.access !== "public";
  if (exchange.access === "session") {
    const reading = referenceOf(exchange, credentialReader);
    exchange.session = reading instanceof Promise ? await reading : reading;
  }

  exchange.appKeyDigest = asksForKey && key !== null && key.length <= longestAppKey ? digests.sha256(key) : null;
  exchange.admission = await database.storage.repositories.admission.admit({
    appKey: exchange.appKeyDigest,
    session: exchange.session?.digest ?? null,
    mode: exchange.session?.mode ?? "session",
    idleTimeout: database.policy.sessions.idleTimeout,
  });
  refuseMaintenance(exchange.admission);
};

/** Of whom the use case admits. */
const notYet: Admission = {
  maintenance: false,
  modelGeneration: 0,
  macroGeneration: 0,
  appKey: null,
  session: null,
  principal: null,
};

/** What an optional route asks for follows from what the caller shows. */
function accessOf(
  { access }: Route,
  { appKey, sessionId, authorization, secureToken }: PresentedCredentials,
): Exchange["access"] {
  if (access !== "optional") return access;
  if (![sessionId, authorization, secureToken].every(isAbsent)) return "session";
  return isAbsent(appKey) ? "public" : "appKey";
}

/** The session that the one credential names; of several, none is picked. */
function referenceOf(
  { credentials, database }: Exchange,
  reader: CredentialReader,
): SessionReference | null | Promise<SessionReference | null> {
  const { sessionId, authorization, secureToken } = credentials;
  if ([sessionId, authorization, secureToken].filter((each) => !isAbsent(each)).length !== 1) return null;
  const [id, jwt, token] = [single(sessionId), single(authorization), single(secureToken)];
  if (id !== null && !isAbsent(sessionId)) return reader.sessionId(id);
  if (jwt !== null && !isAbsent(authorization)) return reader.authorization(database, jwt);
  if (token !== null && !isAbsent(secureToken)) return reader.secureToken(database, token);
  return null;
}

/** The value of a header that was sent with one value only. */
function single({ value, conflict }: Presented): string | null {
  return conflict ? null : value;
}
