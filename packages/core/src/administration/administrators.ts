import {
  administrationAppName,
  administrationIdleTimeout,
  endRestingSession,
  type LogInResult,
  openPasswordSession,
  type LogInServices,
  logOut,
  noLicenceMessages,
} from "../access/index.ts";
import { type AppKey, passwordSession, type Principal, systemPrincipal } from "@sallyport/storage";
import {
  type AdministrationContext,
  administratorEvent,
  type AppKeyContext,
  operatorEvent,
  type SessionContext,
  type Uses,
} from "../request/index.ts";
import { keepProof } from "./recent-proof.ts";

/** Context of a request of an administrator, or of the operator of the server. */
export interface AdministratorContext extends SessionContext, AdministrationContext {}

export function administratorContext<Context extends SessionContext>(context: Context): Context & AdministratorContext {
  if (isOperator(context.principal)) return { ...context, eventOf: operatorEvent };
  return { ...context, eventOf: (change) => administratorEvent(context, change) };
}

/** Stands for the app key of a request that needs none. */
export const noAppKey: AppKey = { id: "", name: "", enabled: true, appNames: null, origins: [], returnAddresses: [] };

/**
 * What a request of the operator has in place of app key and session: all rights, and nothing that is stored. An empty
 * digest names no session, so it owns no locks.
 */
export const operatorCaller = {
  appKey: noAppKey,
  session: passwordSession("", systemPrincipal.userId, []),
  principal: systemPrincipal,
} as const;

/** Whether a request is that of the operator. No user has the id. */
export function isOperator({ userId }: Principal): boolean {
  return userId === systemPrincipal.userId;
}

export interface AdministratorLogInInput {
  readonly user: string;
  /** Plain text, or the client hash. */
  readonly pass: string;
  /** Second-factor tokens; `null` for none. */
  readonly token: string | null;
}

/**
 * Logs an administrator in, with an app key of scope `admin`. The limits of sessions and seats do not apply, so that an
 * administrator can end sessions when they are reached. The log-in counts as a recent proof. Wrong password, or no
 * administrator: 302. Second factors: 340 to 342.
 */
export async function logInAdministrator(
  context: AppKeyContext & Uses<LogInServices>,
  { user, pass, token }: AdministratorLogInInput,
): Promise<LogInResult> {
  const idleTimeout = administrationIdleTimeout(context.database.policy.sessions);
  const input = {
    user,
    pass,
    appNames: [administrationAppName],
    deviceId: null,
    secondFactor: { token, enrol: false },
  };
  const policy = { idleTimeout, limit: 0, perUserLimit: 0 };
  const options = { mode: "session", administration: true, policy } as const;
  const { sessionId, userId, ...opened } = await openPasswordSession(context, input, options);
  await keepProof(context.r, context.database.digests.sha256(sessionId), userId);
  return { sessionId, user: opened.user, databaseName: context.database.name };
}

/** Ends the session of an administrator, which has no seats to report, and the one that rests on it. Errors: as `logOut`. */
export async function logOutAdministrator(context: SessionContext): Promise<void> {
  // First, so that a failure in between leaves none behind.
  await endRestingSession(context.r, context.sessionDigest);
  await logOut({ ...context, services: { licenceMessages: noLicenceMessages } });
}
