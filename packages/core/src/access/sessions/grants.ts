import {
  type AuthenticationMethod,
  type Digest,
  identityLinkKind,
  type ObjectId,
  type Principal,
  type Repositories,
  ServiceError,
  type SessionMode,
} from "@sallyport/storage";
import { groupsOf } from "../../objects/index.ts";
import {
  maintenanceError,
  type RequestContext,
  type SessionBasis,
  type SessionContext,
  type UnadmittedContext,
} from "../../request/index.ts";
import { AccessCheck } from "../rules/access-check.ts";
import { admitSession } from "./admit-session.ts";

/**
 * Permission of a request without credentials: to read what a session could read. It ends with the
 * session, or, if it belongs to the user, with a new password, a ban or the disabling of the account. JSON; contains digests
 * and ids, so hand it out only sealed.
 */
export type Grant = SessionGrant | UserGrant;

interface SessionGrant {
  readonly appKey: Digest;
  readonly session: { readonly mode: SessionMode; readonly digest: Digest };
  readonly basis?: SessionBasis | null;
}

interface UserGrant {
  readonly appKey: Digest;
  readonly userId: ObjectId;
  readonly secretVersion: number;
  readonly deviceId: string | null;
  readonly appNames: readonly string[];
  readonly method: GrantedMethod;
}

/** An `AuthenticationMethod` without the current content of a link. */
type GrantedMethod =
  | Exclude<AuthenticationMethod, { readonly kind: "provider" }>
  | { readonly kind: "provider"; readonly id: string; readonly createdVersion: number };

export function sessionGrant({ appKeyDigest, basis = null, session, sessionDigest }: SessionContext): SessionGrant {
  return { appKey: appKeyDigest, session: { mode: session.mode, digest: sessionDigest }, basis };
}

/** A grant that outlives the session. Throws the code of an ended session if it has ended. */
export async function userGrant(context: SessionContext): Promise<UserGrant> {
  const { r, session, sessionDigest, appKeyDigest } = context;
  const { userId, deviceId, appNames, authenticationMethod } = session;
  const { account } = await r.accounts.find({ id: userId }, []);
  // After the account: a change of the secret ends the session, so a live one has the version that was read.
  const [live] = await r.sessions.list({ after: null, limit: 1 }, { digest: sessionDigest });
  if (account === null || live === undefined) throw new ServiceError(context.sessionEndedCode);
  const { secretVersion } = account;
  return { appKey: appKeyDigest, userId, secretVersion, deviceId, appNames, method: methodOf(authenticationMethod) };
}

function methodOf(method: AuthenticationMethod): GrantedMethod {
  if (method.kind !== "provider") return method;
  const { id, createdVersion } = method.link;
  return { kind: "provider", id, createdVersion };
}

/** A context with the user of a grant. */
export type GrantedContext = RequestContext & { readonly principal: Principal };

/** Admits a request by a grant. Extends no session. `null` if the grant has ended. Throws 706 in maintenance mode. */
export async function admitGrant(context: UnadmittedContext, grant: Grant): Promise<GrantedContext | null> {
  const { r, database } = context;
  const { mode, digest } = "session" in grant ? grant.session : { mode: "session" as const, digest: null };
  const { basis = null } = "session" in grant ? grant : {};
  const [admission, user] = await Promise.all([
    admitSession(r, { appKey: grant.appKey, session: digest, mode, idleTimeout: 0 }, basis),
    "session" in grant ? null : userOf(context, grant),
  ]);
  const { appKey, modelGeneration, settingsGeneration, maintenance } = admission;
  if (maintenance) throw await maintenanceError(database);
  const principal = admission.principal ?? user;
  if (appKey?.enabled !== true || principal === null) return null;
  return { ...context, modelGeneration, settingsGeneration, principal };
}

async function userOf({ r, database, origin }: UnadmittedContext, grant: UserGrant): Promise<Principal | null> {
  const { userId, secretVersion, deviceId, appNames, method } = grant;
  const [{ account, user }, isValid] = await Promise.all([r.accounts.find({ id: userId }, []), holds(r, method)]);
  if (account === null || user === null || !isValid) return null;
  if (account.disabled || account.secretVersion !== secretVersion) return null;
  const groups = groupsOf(user);
  const visit = { userId, groups, deviceId, network: origin.network, appNames };
  try {
    await new AccessCheck(database, visit).read(r);
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 318 || error.code === 403)) return null;
    throw error;
  }
  return { userId, groups, administrator: account.administrator };
}

/** Whether the way of the log-in is still valid. */
async function holds({ accounts, records }: Repositories, method: GrantedMethod): Promise<boolean> {
  if (method.kind === "password") return true;
  if (method.kind === "custom") {
    const { account } = await accounts.find({ id: method.accountId }, []);
    return account !== null && !account.disabled && account.secretVersion === method.secretVersion;
  }
  const [link] = await records.get(identityLinkKind, [method.id]);
  return link?.createdVersion === method.createdVersion;
}
