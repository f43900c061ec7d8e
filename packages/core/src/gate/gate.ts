import type { Person } from "../accounts/person.ts";
import type { AuditEvent } from "../audit/audit-event.ts";
import type { Digests } from "../digests/digests.ts";
import type { RandomSource } from "../digests/random-source.ts";
import type { ErrorCode } from "../errors/error-code.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { ThrottleKey } from "../throttle/throttle-repository.ts";
import type { Claim } from "./claim.ts";

export interface Entry {
  /** The session id for the client; storage knows its digest only. */
  readonly sessionId: string;
  readonly person: Person;
}

/**
 * Work that belongs to the entry, for the same person, with the repositories of the transaction that opens the
 * session; its failure keeps the gate shut.
 */
export type BeforeOpening<T> = (person: Person, r: Repositories) => Promise<T>;

/**
 * The only way to a session. Every door brings a claim here; the gate checks in a fixed order: lockout (302 with a
 * delay), proof (302), session limits (315), and opens the session, forgets the user's failures and writes the audit
 * in one transaction. A refusal is counted and audited in one, too; those of a lockout are audited as a tally for each
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
      return await this.open(context, claim, person, { before, keys, rechecked: !attempt.claimed });
    } catch (error) {
      if (error === overtaken) throw await this.countFailure(context, claim, keys);
      if (error instanceof ServiceError && error.status < 500) return this.refuse(context, claim, person, error);
      throw error;
    }
  }

  private async open<T>(
    context: AppKeyContext,
    claim: Claim,
    person: Person,
    { before, keys, rechecked }: { before: BeforeOpening<T>; keys: ThrottleKeys; rechecked: boolean },
  ): Promise<Entry & { prepared: T }> {
    const sessionId = this.random.secret();
    const { mode, appNames, deviceId, channel } = claim;
    const { userId, secretVersion } = person.account;
    const digest = this.digests.sha256(sessionId);
    const session = { digest, mode, appKeyId: context.appKey.id, userId, secretVersion, appNames, deviceId, ...(channel && { channel }) };
    const prepared = await context.database.storage.transaction(async (r) => {
      const done = await before(person, r);
      // Sent together; what the answers forbid is rolled back.
      const [wait, opened] = await Promise.all([
        // Failures of parallel guesses, counted while this one was being proven, hold against it, too.
        r.throttle.pass(rechecked ? keys : [], [keys[0].key]),
        r.sessions.open(session, context.database.policy.sessions),
        r.audit.append(event(context, claim, person, 0)),
      ]);
      // Refused like any of them, or the answer would tell which guess was right.
      if (wait > 0) throw overtaken;
      if (opened === "full") throw new ServiceError(315);
      return done;
    });
    return { sessionId, person, prepared };
  }

  private countFailure(context: AppKeyContext, claim: Claim, keys: ThrottleKeys): Promise<ServiceError> {
    return context.database.storage.transaction(async (r) => {
      const error = refusal(await r.throttle.fail(keys));
      await r.audit.append(event(context, claim, null, error.code));
      return error;
    });
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

/** Thrown to roll back an entry that failures of others have overtaken. */
const overtaken = Symbol("overtaken");

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
  };
}
