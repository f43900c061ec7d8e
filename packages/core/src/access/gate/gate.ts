import {
  type AccountSelector,
  type AuditEvent,
  type AuthenticatedAccount,
  type ErrorCode,
  type ExemptionGrant,
  type ExpectedRecord,
  explained,
  findingsOf,
  type NewSession,
  type Repositories,
  type SeatLimit,
  ServiceError,
  type ThrottleKey,
  type ThrottleVerdict,
} from "@sallyport/storage";
import { groupsOf, type ObjectServices } from "../../objects/index.ts";
import { NetworkSemaphore } from "../../capacity/index.ts";
import { type AppKeyContext, appKeyEvent, requestLimits } from "../../request/index.ts";
import { findApplications, seatLimits } from "../appkeys/applications.ts";
import { AccessCheck } from "../rules/access-check.ts";
import { deviceLog } from "../rules/devices.ts";
import { withSecondFactors, checkSecondFactors } from "../second-factors/check-second-factors.ts";
import { enrollingAppNames } from "../sessions/app-names.ts";
import { restingSessionId } from "../sessions/resting-sessions.ts";
import {
  type AuthenticationAttempt,
  type CountedCode,
  type GuardedAttempt,
  isCounted,
  type GateServices,
  type GateContext,
} from "./authentication-attempt.ts";
import { accountFinding, lockoutFindings, openingFindings, wrongProof } from "./gate-findings.ts";
import { ProofTimes } from "./proof-times.ts";
import type { PasswordHasher } from "../accounts/passwords.ts";

/** Services of log-ins. */
export interface LogInServices extends ObjectServices, GateServices {
  readonly gate: Gate;
  readonly hasher: PasswordHasher;
}

export interface OpenedSession {
  /** The session id for the client. Storage has only its digest. */
  readonly sessionId: string;
  readonly authenticated: AuthenticatedAccount;
}

/** Milliseconds for which a log-in exempts a user from the lockout of the address. */
const exemptionLifetime = 30 * 86_400_000;
const maxExemptions = 1_000;

/**
 * Opens all sessions. The gate checks every authentication attempt in a fixed order: lockout (302 with a delay), proof
 * (302), reuse of the encrypted message (310), bans (318), app access (403), second factors (340 to 342), seats (306), session limits (315). Then it opens the
 * session, consumes tokens, resets the user's failures and writes the audit event, atomically. If a required licence message
 * cannot be sent then, it ends the session (711). A failure is counted and audited atomically. Refusals by a lockout are audited as a tally per app key and network.
 *
 * A lockout of the address applies to all users, even with the right password, except users known there from earlier
 * log-ins. Only their own count applies to them. Refusals do not reveal known users: the answer and its timing are the
 * same.
 */
export class Gate {
  private readonly proofTimes: ProofTimes;
  private readonly proofs: NetworkSemaphore;

  constructor(
    private readonly pause: (milliseconds: number) => Promise<unknown>,
    /** Proofs of one network at once. Each can wait for a password hash. */
    proofsPerNetwork = 128,
  ) {
    this.proofs = new NetworkSemaphore(proofsPerNetwork, "Too many log-ins of this network are in progress.");
    this.proofTimes = new ProofTimes(pause);
  }

  async openSession<T>(
    context: GateContext,
    attempt: AuthenticationAttempt,
    /** Reads for the authenticated user before the session opens. If it fails, no session opens. */
    before: (authenticated: AuthenticatedAccount) => Promise<T>,
  ): Promise<OpenedSession & { prepared: T }> {
    const keys = this.throttleKeys(context, attempt);
    // Parallel, so that the queries share one round trip to the database.
    const [verdict, prove, applications] = await Promise.all([
      context.r.throttle.attempt(keys),
      attempt.proof,
      findApplications(context.r.records, attempt.appNames),
    ]);
    const kind = kindOf(attempt);
    if (verdict.wait > 0) {
      await this.proofTimes.simulate(kind);
      return lockedOut(context, auditLogIn(context, attempt, null, 302), {
        wait: verdict.wait,
        keys,
        account: attempt.account ?? null,
      });
    }

    const authenticated = await this.measure(context, kind, prove);
    if (authenticated === null)
      throw explained(
        await countFailure(context, auditLogIn(context, attempt, null, 302), keys),
        accountFinding(attempt.account ?? null),
        wrongProof,
      );
    await attempt.checkReplay?.();
    const guarded = attempt.restsOn === undefined ? withSecondFactors(applications) : [];
    const access = await this.checkAccess(context, attempt, authenticated, guarded.length > 0);
    const tokenAttempt =
      guarded.length === 0 || !attempt.secondFactor?.token ? null : await this.attemptToken(context, attempt);
    if (tokenAttempt !== null && tokenAttempt.wait > 0)
      return lockedOut(context, auditLogIn(context, attempt, authenticated, 342), {
        wait: tokenAttempt.wait,
        keys: [tokenAttempt.key],
        account: attempt.account ?? null,
      });
    try {
      const { account, authenticationMethod } = authenticated;
      const user = { userId: account.userId, authenticationMethod };
      const factorCheck = await checkSecondFactors(context, attempt, user, guarded);
      const isEnrolling = factorCheck.kind === "enrolling";
      const prepared = await before(authenticated);
      const sessionId = await access.whileUnchanged(context.r, (basis) =>
        this.commitSession(context, isEnrolling ? restrictedToEnrolment(attempt) : attempt, authenticated, {
          keys,
          recheck: verdict.reserved ? [] : keys,
          consume: factorCheck.kind === "proven" ? consumeTokens(factorCheck.consume, tokenAttempt) : undefined,
          seats: isEnrolling || attempt.administration === true ? [] : seatLimits(applications),
          basis,
        }),
      );
      const seen = { userId: account.userId, deviceId: attempt.deviceId, says: attempt.device ?? {} };
      deviceLog(context.database).noteAfterAnswer(context.database, seen, this.pause);
      return { sessionId, authenticated, prepared };
    } catch (error) {
      // 302: parallel guesses failed during the proof. The same answer here does not reveal the right guess.
      if (isCounted(error)) {
        const failed = error.code === 342 && tokenAttempt !== null ? [...keys, tokenAttempt.key] : keys;
        const audited = error.code === 302 ? null : authenticated;
        const counted = await countFailure(context, auditLogIn(context, attempt, audited, error.code), failed);
        throw explained(counted, ...openingFindings(error, authenticated, []), ...findingsOf(error));
      }
      if (error instanceof ServiceError)
        explained(error, ...openingFindings(error, authenticated, seatLimits(applications)));
      if (error instanceof ServiceError && (error.status < 500 || error.code === 711))
        await context.r.audit.append(auditLogIn(context, attempt, authenticated, error.code));
      throw error;
    }
  }

  /** Runs a guessable operation under the lockout rules of log-ins. */
  async guard<Proven extends NonNullable<unknown>, Result>(
    context: AppKeyContext,
    guarded: GuardedAttempt<Proven, Result>,
  ): Promise<Result> {
    const { refusal, userId, prove, consume, act } = guarded;
    const keys = this.throttleKeys(context, guarded);
    const account = userId === null ? null : { id: userId };
    const failure = appKeyEvent(context, { type: refusal.type, outcome: refusal.code, userId });
    const verdict = await context.r.throttle.attempt(keys);
    if (verdict.wait > 0) {
      await this.proofTimes.simulate(refusal.type);
      return lockedOut(context, failure, { wait: verdict.wait, keys, account });
    }

    const proven = await this.measure(context, refusal.type, prove);
    if (proven === null)
      throw explained(await countFailure(context, failure, keys), accountFinding(account), wrongProof);
    let passed = false;
    try {
      return await context.unit.transaction(async (r) => {
        passed = false;
        await consume?.(r, proven);
        await r.throttle.pass(verdict.reserved ? [] : keys, [keys[0].key]);
        passed = true;
        return act(r, proven);
      });
    } catch (error) {
      // Parallel guesses failed, as in `openSession`.
      if (!passed && error instanceof ServiceError && error.code === 302)
        throw await countFailure(context, failure, keys);
      throw error;
    }
  }

  /** Runs a proof. Throws 706 if too many of the network are in progress. */
  private measure<T>({ origin }: AppKeyContext, kind: string, prove: () => Promise<T>): Promise<T> {
    return this.proofs.run(origin.network, () => this.proofTimes.measure(kind, prove));
  }

  /**
   * Checks bans and app access. Without second factors and work in the transaction of the session, the statement that
   * opens it is the first to look: most visits are concerned by no rule, and then there is nothing to read.
   */
  private async checkAccess(
    context: AppKeyContext,
    attempt: AuthenticationAttempt,
    authenticated: AuthenticatedAccount,
    hasSecondFactors: boolean,
  ): Promise<AccessCheck> {
    const { beforeCommit, consume, deviceId, appNames } = attempt;
    const { account, user } = authenticated;
    const { network } = context.origin;
    const visit = { userId: account.userId, groups: groupsOf(user), deviceId, network, appNames };
    const access = new AccessCheck(context.database, visit, { onAnyDevice: attempt.administration === true });
    if (hasSecondFactors || access.needsRead || beforeCommit !== undefined || consume !== undefined) {
      try {
        await access.read(context.r);
      } catch (error) {
        if (error instanceof ServiceError) explained(error, ...openingFindings(error, authenticated, []));
        if (error instanceof ServiceError && error.status < 500)
          await context.r.audit.append(auditLogIn(context, attempt, authenticated, error.code));
        throw error;
      }
    }
    return access;
  }

  private async commitSession(
    context: GateContext,
    attempt: AuthenticationAttempt,
    authenticated: AuthenticatedAccount,
    { keys: [{ key: resetKey }, address], recheck, consume, seats, basis }: OpeningSteps,
  ): Promise<string> {
    const secret = context.services.random.secret();
    const sessionId = attempt.restsOn === undefined ? secret : restingSessionId(attempt.restsOn, secret);
    const { mode, appNames, deviceId, channel, beforeCommit, consume: consumeCredential } = attempt;
    const { account, authenticationMethod } = authenticated;
    const digest = context.database.digests.sha256(sessionId);
    const { userId, secretVersion } = account;
    const newSession = {
      digest,
      mode,
      appKeyId: context.appKey.id,
      userId,
      secretVersion,
      appNames,
      deviceId,
      authenticationMethod,
      address: context.origin.address,
    };
    const session: NewSession = channel === undefined ? newSession : { ...newSession, channel };
    const { storage, policy } = context.database;
    const limits = { ...(await requestLimits(context)).sessions, ...attempt.policy, seats, basis };
    const granted: ExemptionGrant | undefined =
      policy.throttle.ip.maxFailures === 0
        ? undefined
        : { ...address.exemption, lifetime: exemptionLifetime, atMost: maxExemptions };
    const accepted = auditLogIn(context, attempt, authenticated, 0);
    const change = { event: "session.opened", appNames, userId, sessionDigest: digest, deviceId } as const;
    const report = attempt.administration === true ? null : context.services.licenceMessages.report(context, change);
    const isFixed = beforeCommit === undefined && consume === undefined && consumeCredential === undefined;
    if (isFixed && report === null) {
      await storage.batch((r) =>
        Promise.all([
          r.throttle.pass(recheck, [resetKey], granted),
          r.sessions.open(session, limits),
          r.audit.append(accepted),
        ]),
      );
      return sessionId;
    }
    await storage.transaction(async (r) => {
      // First, so that requests with the same code or token wait for one another without other locks.
      await consumeCredential?.(r, digest);
      await consume?.(r);
      // Before `beforeCommit`, whose refusals only a correct token may see.
      await r.throttle.pass(recheck, [resetKey], granted);
      await beforeCommit?.(r, authenticated);
      await Promise.all([r.sessions.open(session, limits), r.audit.append(accepted)]);
      await report?.queueToConfirm(r);
    });
    await report?.confirm((r) => r.sessions.end({ digest }));
    return sessionId;
  }

  /**
   * Returns whether a token may be tried. Tokens have their own count: an attacker with the password could otherwise
   * reset the failures by a log-in to an app that requires no token.
   */
  private async attemptToken(
    { r, database }: AppKeyContext,
    { userKey }: AuthenticationAttempt,
  ): Promise<TokenAttempt> {
    const key = { key: `factor:${database.digests.sha256(userKey)}`, policy: database.policy.throttle.user };
    return { key, ...(await r.throttle.attempt([key])) };
  }

  private throttleKeys(
    { origin, database }: AppKeyContext,
    { userKey, counter = "user" }: Pick<GuardedAttempt<NonNullable<unknown>, unknown>, "userKey" | "counter">,
  ): ThrottleKeys {
    const { user, ip } = database.policy.throttle;
    const { digests } = database;
    const member = digests.sha256(userKey);
    // Digests are cut to the length limit of throttle keys.
    const exemption = { group: digests.sha256(origin.network).slice(0, 40), member: member.slice(0, 40) };
    return [
      { key: `${counter}:${member}`, policy: user },
      { key: `address:${origin.network}`, policy: ip, exemption },
    ];
  }
}

/** The throttle keys, those to check again when the session opens, the function that consumes the shown tokens, the seat limits, and the rules. */
interface OpeningSteps {
  readonly keys: ThrottleKeys;
  readonly basis: readonly ExpectedRecord[];
  readonly recheck: readonly ThrottleKey[];
  readonly seats: readonly SeatLimit[];
  readonly consume: ConsumeTokens | undefined;
}

type ConsumeTokens = (r: Repositories) => Promise<void>;

/** Reduces the attempt for an enrolling session: no app names, no device and no `beforeCommit`. */
function restrictedToEnrolment({
  beforeCommit: _beforeCommit,
  ...admitted
}: AuthenticationAttempt): AuthenticationAttempt {
  return { ...admitted, appNames: enrollingAppNames, deviceId: null };
}

/** A token attempt and its throttle verdict. */
interface TokenAttempt extends ThrottleVerdict {
  readonly key: ThrottleKey;
}

function consumeTokens(consume: ConsumeTokens, tokenAttempt: TokenAttempt | null): ConsumeTokens {
  if (tokenAttempt === null) return consume;
  return async (r) => {
    await consume(r);
    try {
      await r.throttle.pass(tokenAttempt.reserved ? [] : [tokenAttempt.key], [tokenAttempt.key.key]);
    } catch (error) {
      // After parallel failures, the right guess gets the same answer.
      throw error instanceof ServiceError && error.code === 302 ? new ServiceError(342) : error;
    }
  };
}

type ThrottleKeys = readonly [ThrottleKey, ThrottleKey & Required<Pick<ThrottleKey, "exemption">>];

type CountedEvent = AuditEvent & { readonly outcome: CountedCode };

/** The first part of a user key with several parts. Empty for a database user. */
function kindOf({ userKey }: AuthenticationAttempt): string {
  return userKey.slice(0, Math.max(0, userKey.indexOf("\0")));
}

/** A lockout in force: the milliseconds to wait, the throttle keys, and the account if there is one. */
interface Lockout {
  readonly wait: number;
  readonly keys: readonly ThrottleKey[];
  readonly account: AccountSelector | null;
}

/** Locked-out clients could flood the audit, so their refusals are tallied. */
async function lockedOut(
  context: AppKeyContext,
  event: CountedEvent,
  { wait, keys, account }: Lockout,
): Promise<never> {
  const kind = event.type === "login.refused" ? "" : `${event.type} `;
  const key = `lockout ${kind}${context.appKey.id} ${context.origin.network}`;
  await context.unit.autonomously((r) => r.audit.append(event, key));
  throw explained(refused(event.outcome, wait), accountFinding(account), ...lockoutFindings(wait, keys));
}

async function countFailure(
  context: AppKeyContext,
  event: CountedEvent,
  keys: readonly ThrottleKey[],
): Promise<ServiceError> {
  let wait = 0;
  // After a transaction that this operation joined, so that a rollback does not undo the count.
  await context.unit.autonomously(async () => {
    const { storage } = context.database;
    [wait] = await storage.batch((r) => Promise.all([r.throttle.fail(keys), r.audit.append(event)]));
  });
  return refused(event.outcome, wait);
}

/** Wrong password, unknown user and lockout get the same answer. Only `Retry-After` reveals a delay. */
function refused(code: CountedCode, wait: number): ServiceError {
  return wait > 0 ? new ServiceError(code, { retryAfter: Math.ceil(wait / 1000) }) : new ServiceError(code);
}

function auditLogIn<Outcome extends ErrorCode | 0>(
  context: AppKeyContext,
  { appNames, providerName = null }: AuthenticationAttempt,
  authenticated: AuthenticatedAccount | null,
  outcome: Outcome,
) {
  const type = outcome === 0 ? "login.accepted" : "login.refused";
  return appKeyEvent(context, { type, outcome, userId: authenticated?.account.userId ?? null, appNames, providerName });
}
