import type { Person } from "../accounts/person.ts";
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
  readonly person: Person;
}

/** Work for the proven person before the session is opened; its failure keeps the gate shut. It changes nothing. */
export type BeforeOpening<T> = (person: Person) => Promise<T>;

/**
 * The only way to a session. Every door brings a claim here; the gate checks in a fixed order: lockout (302 with a
 * delay), proof (302), session limits (315), and opens the session, forgets the user's failures and writes the audit
 * together. A refusal is counted and audited in one, too; those of a lockout are audited as a tally for each
 * app key and network.
 */
export class Gate {
  constructor(
    private readonly digests: Digests,
    private readonly random: RandomSource,
  ) {}

  async enter<T>(context: AppKeyContext, claim: Claim, before: BeforeOpening<T>): Promise<Entry & { prepared: T }> {
    const keys = this.throttleKeys(context, claim);
    // Asked for together, so that it is one trip to the database.
    const [attempt, prove] = await Promise.all([context.r.throttle.attempt(keys), claim.prepareProof()]);
    if (attempt.wait > 0) {
      // Whoever is locked out could fill the audit at will.
      await context.r.audit.tally(`lockout ${context.appKey.id} ${context.origin.network}`, event(context, claim, null, 302));
      throw refusal(attempt.wait);
    }

    const person = await prove();
    if (person === null) throw await this.countFailure(context, claim, keys);
    try {
      const prepared = await before(person);
      const sessionId = await this.open(context, claim, person, { keys, rechecked: !attempt.claimed });
      return { sessionId, person, prepared };
    } catch (error) {
      // Failures of parallel guesses, counted while this one was being proven. Refused like any of them, or the answer
      // would tell which guess was right.
      if (error instanceof ServiceError && error.code === 302) throw await this.countFailure(context, claim, keys);
      if (error instanceof ServiceError && error.status < 500) return this.refuse(context, claim, person, error);
      throw error;
    }
  }

  private async open(
    context: AppKeyContext,
    claim: Claim,
    person: Person,
    { keys, rechecked }: { keys: ThrottleKeys; rechecked: boolean },
  ): Promise<string> {
    const sessionId = this.random.secret();
    const { mode, appNames, deviceId, channel } = claim;
    const { userId, secretVersion } = person.account;
    const digest = this.digests.sha256(sessionId);
    const session = { digest, mode, appKeyId: context.appKey.id, userId, secretVersion, appNames, deviceId, ...(channel && { channel }) };
    await context.database.storage.together((r) =>
      Promise.all([
        r.throttle.pass(rechecked ? keys : [], [keys[0].key]),
        r.sessions.open(session, context.database.policy.sessions),
        r.audit.append(event(context, claim, person, 0)),
      ]),
    );
    return sessionId;
  }

  private async countFailure(context: AppKeyContext, claim: Claim, keys: ThrottleKeys): Promise<ServiceError> {
    const [wait] = await context.database.storage.together((r) =>
      Promise.all([r.throttle.fail(keys), r.audit.append(event(context, claim, null, 302))]),
    );
    return refusal(wait);
  }

  private throttleKeys({ origin, database }: AppKeyContext, { userKey }: Claim): ThrottleKeys {
    const { user, address } = database.policy.throttle;
    return [
      { key: `user:${this.digests.sha256(userKey)}`, policy: user },
      { key: `address:${origin.network}`, policy: address },
    ];
  }

  private async refuse(context: AppKeyContext, claim: Claim, person: Person | null, error: ServiceError): Promise<never> {
    await context.r.audit.append(event(context, claim, person, error.code));
    throw error;
  }
}

/** The key of the user and that of the address. */
type ThrottleKeys = readonly [ThrottleKey, ThrottleKey];

/** The same answer for a wrong password, an unknown user and a lockout; only `Retry-After` tells of a delay. */
function refusal(wait: number): ServiceError {
  return wait > 0 ? new ServiceError(302, { retryAfter: Math.ceil(wait / 1000) }) : new ServiceError(302);
}

function event(context: AppKeyContext, claim: Claim, person: Person | null, outcome: ErrorCode | 0): AuditEvent {
  return {
    type: outcome === 0 ? "login.accepted" : "login.refused",
    requestId: context.requestId,
    outcome,
    appKeyId: context.appKey.id,
    userId: person?.account.userId ?? null,
    address: context.origin.address,
    appNames: claim.appNames,
    className: null,
    macroName: null,
  };
}
