import type { ThrottlePolicy } from "./throttle-policy.ts";

export interface ThrottleKey {
  /** What is counted, opaque to storage; at most 100 characters. */
  readonly key: string;
  readonly policy: ThrottlePolicy;
}

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
   * says wait, the longest wait is answered and nothing is claimed.
   */
  attempt(keys: readonly ThrottleKey[]): Promise<ThrottleVerdict>;

  /**
   * Counts one failure on each key; the longest wait that follows, in milliseconds, by `delayAfter`. From a policy with 0 free failures
   * no wait follows, and the failure need not be counted.
   */
  fail(keys: readonly ThrottleKey[]): Promise<number>;

  /**
   * Lets a success count: forgets the failures of `forget`, unless a delay of one of the keys runs: then 302, and nothing
   * changes. The delay that a claim has started runs, too: who has claimed keys leaves them out of `keys`.
   */
  pass(keys: readonly ThrottleKey[], forget: readonly string[]): Promise<void>;

  /** Removes at most `limit` keys whose failures are forgotten; how many it were. */
  sweep(limit: number): Promise<number>;
}

/**
 * Counts one use of something with a rate limit. Returns the milliseconds to wait if the use exceeds the limit, else 0. Exact for parallel
 * calls, provided that the longest delay of the policy is longer than its first.
 */
export async function takeTurn(throttle: ThrottleRepository, key: ThrottleKey): Promise<number> {
  const { wait, claimed } = await throttle.attempt([key]);
  if (wait > 0) return wait;
  const delay = await throttle.fail([key]);
  // Parallel calls may have used up what was free at the attempt.
  return claimed || delay <= key.policy.firstDelay ? 0 : delay;
}
