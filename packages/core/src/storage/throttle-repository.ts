export interface ThrottleKey {
  /** What is counted, opaque to storage; at most 100 characters. */
  readonly key: string;
  readonly policy: ThrottlePolicy;
  /** While it is good, the delays of this key hold nothing up. */
  readonly exemption?: ThrottleExemption;
}

/** Who is exempted from a key, such as a user from the failures of others at an address. Both texts: at most 40 digits and letters from `a` to `z`. */
export interface ThrottleExemption {
  readonly group: string;
  readonly member: string;
}

export interface ExemptionGrant extends ThrottleExemption {
  /** Milliseconds for which it is good. */
  readonly lifetime: number;
  /** Exemptions of the group; beyond that those go that were granted least recently. Grants that come at once may exceed it until the next one. */
  readonly atMost: number;
}

/** Milliseconds. An exemption that was granted within this time may be left as it is when it is granted again: log-ins would otherwise write it each time. */
export const exemptionRenewal = 3_600_000;

export interface ThrottleVerdict {
  /** Milliseconds to wait before trying; 0 = go ahead. */
  readonly wait: number;
  /** Whether this attempt took the one try that is allowed after a delay is over. */
  readonly claimed: boolean;
}

/**
 * Port: failures counted per key, by the storage's clock. Once the free failures are used up, exactly one attempt
 * passes per delay, however many arrive at once in however many processes.
 */
export interface ThrottleRepository {
  /**
   * Asks to try. A key with fewer than its free failures lets it through. A key whose delay runs answers the time
   * left. A key whose delay is over is claimed: its delay starts again, and this caller alone may try. If any key
   * says wait, the longest wait is answered and nothing is claimed. A key whose exemption is good says nothing and is not
   * claimed; only to the longest wait it belongs like the others.
   */
  attempt(keys: readonly ThrottleKey[]): Promise<ThrottleVerdict>;

  /**
   * Counts one failure on each key; the longest wait that follows, in milliseconds, by `delayAfter`. From a policy with 0 free failures
   * no wait follows, and the failure need not be counted. A key whose exemption is good and whose delay runs is left as it is, and the time left
   * of the delay counts as the wait: nobody can tell from either whether there is an exemption.
   */
  fail(keys: readonly ThrottleKey[]): Promise<number>;

  /**
   * Lets a success count: forgets the failures of `forget`, unless a delay of one of the keys runs: then 302, and nothing
   * changes. The delay that a claim has started runs, too: who has claimed keys leaves them out of `keys`.
   * Keys whose exemption is good refuse nothing. What is granted is good from now on, in place of what was granted before.
   */
  pass(keys: readonly ThrottleKey[], forget: readonly string[], granted?: ExemptionGrant): Promise<void>;

  /** Removes at most `limit` keys whose failures are forgotten, and exemptions that are over; how many it were. */
  sweep(limit: number): Promise<number>;
}

/**
 * Counts one use of something with a rate limit. Returns the milliseconds to wait if the use exceeds the limit, else 0. Exact for parallel
 * calls, provided that the longest delay of the policy is longer than its first.
 */
export async function countUse(throttle: ThrottleRepository, key: ThrottleKey): Promise<number> {
  const { wait, claimed } = await throttle.attempt([key]);
  if (wait > 0) return wait;
  const delay = await throttle.fail([key]);
  // Parallel calls may have used up what was free at the attempt.
  return claimed || delay <= key.policy.initialDelay ? 0 : delay;
}

/** How repeated failures slow down further attempts. Times are milliseconds. */
export interface ThrottlePolicy {
  /** Failures without consequence; 0 switches the throttle off. */
  readonly maxFailures: number;
  /** Delay after the last free failure; doubled by every further one. */
  readonly initialDelay: number;
  readonly maxDelay: number;
  /** Failures are forgotten after this long without another. */
  readonly resetAfter: number;
}

/** Milliseconds to wait after the given number of failures. */
export function delayAfter(failures: number, policy: ThrottlePolicy): number {
  if (policy.maxFailures === 0 || failures < policy.maxFailures) return 0;
  const doublings = Math.min(failures - policy.maxFailures, 30);
  return Math.min(policy.maxDelay, policy.initialDelay * 2 ** doublings);
}
