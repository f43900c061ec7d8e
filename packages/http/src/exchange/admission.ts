import {
  type Admission,
  type AdmissionRequest,
  type AppKey,
  explained,
  type Finding,
  ServiceError,
} from "@sallyport/storage";
import {
  administrationIdleTimeout,
  admitConsoleKey,
  admitResting,
  isConsoleKey,
  requestChecks,
  sessionFindings,
} from "@sallyport/core";
import { isAbsent, type PresentedCredentials, sessionCredentials, sessionEndedCode } from "./credentials.ts";
import type { Exchange } from "./exchange.ts";

/** Milliseconds until a session expires without a request. */
export function idleTimeoutOf({ route, database, session }: Exchange): number {
  const { sessions } = database.policy;
  const isOfAdministrator = route.administration || session?.restsOn !== undefined;
  return isOfAdministrator ? administrationIdleTimeout(sessions) : sessions.idleTimeout;
}

/** Looks up the app key and the session of the request. `idleTimeout`: see `AdmissionRequest`. */
export function admissionOf(
  { database, route, appKeyDigest, basis, credentials, session }: Exchange,
  idleTimeout: number,
): Promise<Admission> {
  const request: AdmissionRequest = {
    appKey: appKeyDigest,
    session: session?.digest ?? null,
    mode: session?.mode ?? "session",
    idleTimeout,
  };
  const { repositories } = database.storage;
  if (basis !== null) return admitResting(repositories, request, basis);
  return route.administration && isConsoleKey(credentials.appKey.value)
    ? admitConsoleKey(repositories, request)
    : repositories.admission.admit(request);
}

/** The app key of the request. Throws 101 if it is unknown, disabled or ambiguous. */
export function requireAppKey(exchange: Exchange): AppKey {
  const { appKey } = exchange.admission;
  if (appKey === null || !appKey.enabled) throw explained(new ServiceError(101), appKeyFinding(exchange));
  return appKey;
}

function appKeyFinding({ credentials, admission: { appKey } }: Exchange): Finding {
  const asked = requestChecks.appKey;
  if (appKey !== null) return { asked, found: `No: the app key "${appKey.name}" is disabled.` };
  if (credentials.appKey.conflict) return { asked, found: "No: the request has it twice, with different values." };
  return { asked, found: "No: the database has no such app key." };
}

/** Throws 201 or 203 if the presented credentials refer to no live session. */
export function requireSession({ credentials, admission, session, appKeyDigest }: Exchange): void {
  if (admission.session !== null) return;
  const error = new ServiceError(sessionEndedCode(credentials));
  const asked = requestChecks.session;
  if (sessionCredentials(credentials).length > 1)
    throw explained(error, { asked, found: "No: the request has more than one credential." });
  if (session === null) throw explained(error, { asked, found: `No: ${unreadable(credentials)}` });
  if (session.restsOn !== undefined)
    throw explained(error, { asked, found: "No: it has ended, or that of the administrator on which it rests." });
  throw explained(error, sessionFindings(session, appKeyDigest));
}

/** Why a credential names no session. */
function unreadable({ sessionId, authorization, secureToken }: PresentedCredentials): string {
  if ([sessionId, authorization, secureToken].some(({ conflict }) => conflict))
    return "the request has the credential twice, with different values.";
  if (!isAbsent(sessionId)) return "the value of sessionId has not the form of a session id.";
  if (!isAbsent(authorization)) return "the JWT is malformed, expired, or not signed by a key of this database.";
  return "the secure token is malformed, or of another server or database.";
}
