import type { Account } from "../accounts/account.ts";
import type { AuditEvent } from "../audit/audit-event.ts";
import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";
import type { ErrorCode } from "../errors/error-code.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { ThrottleKey } from "../throttle/throttle-repository.ts";
import type { Claim } from "./claim.ts";

export interface Entry {
  /** The session id for the client; storage knows its digest only. */
  readonly sessionId: string;
  readonly account: Account;
}

/** Work that must be done before the session is opened, for the same account; its failure keeps the gate shut. */
export type BeforeOpening<T> = (account: Account) => Promise<T>;

/**
 * The only way to a session. Every door brings a claim here; the gate checks in a fixed order: lockout (302 with a
 * delay), proof (302), session limits (315), and opens the session, forgets the user's failures and writes the audit
 * in one transaction. A refusal is counted and audited in one, too.
 */
export class Gate {
  constructor(
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  async enter<T>(context: AppKeyContext, claim: Claim, before: BeforeOpening<T>): Promise<Entry & { prepared: T }> {
    const keys = this.throttleKeys(context, claim);
    const attempt = await context.r.throttle.attempt(keys);
    if (attempt.wait > 0) return this.refuse(context, claim, null, refusal(attempt.wait));

    const account = await claim.prove();
    if (account === null) {
      throw await context.database.storage.transaction(async (r) => {
        const error = refusal(await r.throttle.fail(keys));
        await r.audit.append(event(context, claim, null, error.code));
        return error;
      });
    }

    const prepared = await before(account);
    const sessionId = this.random.secret();
    const digest = this.digests.sha256(sessionId);
    const { mode, appNames, deviceId } = claim;
    const { userId, secretVersion } = account;
    let late: ServiceError | null;
    try {
      late = await context.database.storage.transaction(async (r) => {
        // Failures of parallel guesses, counted while this one was being proven, hold against it, too; and it is refused
        // like any of them, or the answer would tell which guess was right.
        if (!attempt.claimed && (await r.throttle.wait(keys)) > 0) {
          const error = refusal(await r.throttle.fail(keys));
          await r.audit.append(event(context, claim, null, error.code));
          return error;
        }
        const opened = await r.sessions.open(
          { digest, mode, appKeyId: context.appKey.id, userId, secretVersion, appNames, deviceId },
          context.database.policy.sessions,
        );
        if (opened === "full") throw new ServiceError(315);
        await r.throttle.clear([keys[0].key]);
        await r.audit.append(event(context, claim, account, 0));
        return null;
      });
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) return this.refuse(context, claim, account, error);
      throw error;
    }
    if (late !== null) throw late;
    return { sessionId, account, prepared };
  }

  private throttleKeys({ origin, database }: AppKeyContext, { userKey }: Claim): [ThrottleKey, ThrottleKey] {
    const { user, address } = database.policy.throttle;
    return [
      { key: `user:${this.digests.sha256(userKey)}`, policy: user },
      { key: `address:${origin.network}`, policy: address },
    ];
  }

  private async refuse(context: AppKeyContext, claim: Claim, account: Account | null, error: ServiceError): Promise<never> {
    await context.r.audit.append(event(context, claim, account, error.code));
    throw error;
  }
}

/** The same answer for a wrong password, an unknown user and a lockout; only `Retry-After` tells of a delay. */
function refusal(wait: number): ServiceError {
  return wait > 0 ? new ServiceError(302, { retryAfter: Math.ceil(wait / 1000) }) : new ServiceError(302);
}

function event(context: AppKeyContext, claim: Claim, account: Account | null, outcome: ErrorCode | 0): AuditEvent {
  return {
    type: outcome === 0 ? "login.accepted" : "login.refused",
    requestId: context.requestId,
    outcome,
    appKeyId: context.appKey.id,
    userId: account?.userId ?? null,
    address: context.origin.address,
    appNames: claim.appNames,
  };
}
