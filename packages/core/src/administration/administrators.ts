import { administrationAppName, type LogInResult, type OpenPasswordSession } from "../access/index.ts";
import type { Digests, Principal, SessionPolicy } from "@sallyport/storage";
import {
  type AdministrationContext,
  administratorEvent,
  type AppKeyContext,
  type SessionContext,
} from "../request/index.ts";
import { keepProof } from "./recent-proof.ts";

/** Milliseconds without a request until an administrator's session expires, at most. */
const maxIdleTimeout = 15 * 60_000;

/** The idle time-out of administrators' sessions, in milliseconds. */
export function administrationIdleTimeout({ idleTimeout }: Pick<SessionPolicy, "idleTimeout">): number {
  return Math.min(idleTimeout, maxIdleTimeout);
}

/** Whether the user of a session may administer the database. Admission reads it with each request. */
export function mayAdminister(principal: Principal | null): boolean {
  return principal?.administrator === true;
}

/** Context of a request of an administrator. */
export interface AdministratorContext extends SessionContext, AdministrationContext {}

export function administratorContext(context: SessionContext): AdministratorContext {
  return { ...context, eventOf: (change) => administratorEvent(context, change) };
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
 * administrator can end sessions when they are reached. The log-in counts as a recent proof.
 */
export class LogInAdministrator {
  constructor(
    private readonly openPasswordSession: OpenPasswordSession,
    private readonly digests: Digests,
  ) {}

  /** Wrong password, or no administrator: 302. Second factors: 340 to 342. */
  async logInAdministrator(
    context: AppKeyContext,
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
    const wanted = { mode: "session", administration: true, policy } as const;
    const { sessionId, userId, ...opened } = await this.openPasswordSession.openPasswordSession(context, input, wanted);
    await keepProof(context.r, this.digests.sha256(sessionId), userId);
    return { sessionId, user: opened.user, databaseName: context.database.name };
  }
}
