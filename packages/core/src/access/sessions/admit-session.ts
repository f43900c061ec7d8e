import type { Admission, AdmissionRequest, Repositories, SessionPolicy } from "@sallyport/storage";
import type { SessionBasis, SessionContext } from "../../request/index.ts";
import { administrationRightsOf } from "../accounts/administration-rights.ts";
import { isValidConsoleKey } from "../appkeys/console-keys.ts";

type AdmissionRepositories = Pick<Repositories, "admission" | "records">;

/** Milliseconds without a request until an administrator's session expires, at most. */
const maxIdleTimeout = 15 * 60_000;

/** The idle time-out of administrators' sessions, in milliseconds. */
export function administrationIdleTimeout({ idleTimeout }: Pick<SessionPolicy, "idleTimeout">): number {
  return Math.min(idleTimeout, maxIdleTimeout);
}

/** Admits a request with the app key of a console. An expired app key is unknown. */
export async function admitConsoleKey(
  { admission: port, records }: AdmissionRepositories,
  request: AdmissionRequest,
): Promise<Admission> {
  const [admission, isValid] = await Promise.all([
    port.admit(request),
    request.appKey !== null && isValidConsoleKey({ records }, request.appKey),
  ]);
  return isValid ? admission : { ...admission, appKey: null, session: null, principal: null };
}

/** Admits a request by its session, which may rest on that of an administrator. */
export function admitSession(
  r: AdmissionRepositories,
  request: AdmissionRequest,
  basis: SessionBasis | null,
): Promise<Admission> {
  return basis === null ? r.admission.admit(request) : admitResting(r, request, basis);
}

/**
 * Admits a request by a session that rests on that of an administrator. It is found only while the latter is live, its app key
 * enabled and its user an administrator. The request extends both.
 */
export async function admitResting(
  r: AdmissionRepositories,
  request: AdmissionRequest,
  basis: SessionBasis,
): Promise<Admission> {
  const { idleTimeout } = request;
  const ofAdministrator = { appKey: basis.appKey, session: basis.session, idleTimeout };
  const [admission, { appKey, principal }] = await Promise.all([
    r.admission.admit(request),
    basis.keyExpires ? admitConsoleKey(r, ofAdministrator) : r.admission.admit(ofAdministrator),
  ]);
  const isLive = principal !== null && appKey?.enabled === true;
  if (isLive && (await administrationRightsOf(r, principal)) !== null) return admission;
  const withoutSession = { ...admission, session: null, principal: null };
  // Without the key of the administrator, the request does not count as one of a console.
  return appKey?.enabled === true ? withoutSession : { ...withoutSession, appKey: null };
}

/**
 * Admits a request that takes long once more. `extends`: whether it extends its session, as a new request would.
 * `lock`: see `AdmissionRequest`.
 */
export function admitAgain(
  r: AdmissionRepositories,
  { database, appKeyDigest, sessionDigest, session, basis = null }: SessionContext,
  { lock, ...options }: { readonly extends: boolean; readonly lock?: boolean },
): Promise<Admission> {
  const { sessions } = database.policy;
  const longest = basis === null ? sessions.idleTimeout : administrationIdleTimeout(sessions);
  const idleTimeout = options.extends ? longest : 0;
  const request = { appKey: appKeyDigest, session: sessionDigest, mode: session.mode, idleTimeout };
  return admitSession(r, lock === undefined ? request : { ...request, lock }, basis);
}
