export interface ThrottleKey {
  /** Name of the counter, opaque to storage; at most 100 characters. */
  readonly key: string;
  readonly policy: ThrottlePolicy;
  /** While the exemption is valid, delays of this key do not block. */
  readonly exemption?: ThrottleExemption;
}

/** Exempts a member from a key, such as a known user from the failures of others at an address. Both texts: at most 40 of `0-9` and `a-z`. */
export interface ThrottleExemption {
  readonly group: string;
  readonly member: string;
}

export interface ExemptionGrant extends ThrottleExemption {
  /** Milliseconds until the exemption expires. */
  readonly lifetime: number;
  /** Maximum exemptions of the group; the oldest grants are removed beyond it. Concurrent grants may exceed it until the next one. */
  readonly atMost: number;
}

/** Milliseconds. A further grant may leave an exemption granted within this time unchanged, which saves a write per log-in. */
export const exemptionRenewal = 3_600_000;

export interface ThrottleVerdict {
  /** Milliseconds to wait before the attempt; 0: no wait. */
  readonly wait: number;
  /** Whether this attempt reserved the single attempt allowed after a delay. */
  readonly reserved: boolean;
}

/**
 * Port: failures counted per key, by the storage's clock. After the free failures, exactly one attempt passes per
 * delay, across concurrent calls in all processes. Keys that a call names twice are one key (`distinctKeys`).
 */
export interface ThrottleRepository {
  /**
   * Asks for permission to try. A key with free failures left passes. A key with a pending delay returns the time left.
   * A key whose delay is over is reserved: its delay restarts, and only this caller may try. If any key must wait, the
   * longest wait is returned and nothing is reserved. A key with a valid exemption neither blocks nor is reserved; it
   * only counts for the longest wait.
   */
  attempt(keys: readonly ThrottleKey[]): Promise<ThrottleVerdict>;

  /**
   * Counts one failure on each key and returns the longest resulting wait in milliseconds (`delayAfter`). A policy with
   * 0 free failures causes no wait and needs no counting. A key with a valid exemption and a pending delay stays
   * unchanged, and its remaining delay counts as the wait. The result therefore does not reveal an exemption.
   */
  fail(keys: readonly ThrottleKey[]): Promise<number>;

  /**
   * Records a success: deletes the failures of `forget` and grants the exemption. Throws 302, without any change, if a
   * delay of one of `keys` is pending. A reservation starts a delay, so omit reserved keys from `keys`. Keys with a valid
   * exemption do not refuse. A grant is valid at once and replaces an earlier one. It may be left out while another
   * transaction, not yet committed, makes the same one.
   */
  pass(keys: readonly ThrottleKey[], forget: readonly string[], granted?: ExemptionGrant): Promise<void>;

  /** Deletes at most `limit` keys with expired failures, and expired exemptions. Returns their number. */
  sweep(limit: number): Promise<number>;
}

/** The keys without repetitions, in order. The last policy of a key holds, and an exemption that all its repetitions name. */
export function distinctKeys(keys: readonly ThrottleKey[]): ThrottleKey[] {
  const distinct = new Map<string, ThrottleKey>();
  for (const each of keys) {
    const { key, policy, exemption } = each;
    const before = distinct.get(key);
    const isShared =
      before === undefined ||
      (before.exemption?.group === exemption?.group && before.exemption?.member === exemption?.member);
    distinct.set(key, isShared ? each : { key, policy });
  }
  return [...distinct.values()];
}

/**
 * Counts one use of a rate-limited resource. Returns the milliseconds to wait if the limit is exceeded, else 0. Exact
 * for concurrent calls if `maxDelay` exceeds `initialDelay`.
 */
export async function countUse(throttle: ThrottleRepository, key: ThrottleKey): Promise<number> {
  const { wait, reserved } = await throttle.attempt([key]);
  if (wait > 0) return wait;
  const delay = await throttle.fail([key]);
  // Concurrent calls may have used the free failures since `attempt`.
  return reserved || delay <= key.policy.initialDelay ? 0 : delay;
}

/** Delay policy for repeated failures. Times are milliseconds. */
export interface ThrottlePolicy {
  /** Failures without a delay; 0 disables the throttle. */
  readonly maxFailures: number;
  /** Delay after the last free failure. Each further failure doubles it. */
  readonly initialDelay: number;
  readonly maxDelay: number;
  /** Milliseconds without a failure until the count resets. */
  readonly resetAfter: number;
}

/** Milliseconds to wait after this number of failures. */
export function delayAfter(failures: number, policy: ThrottlePolicy): number {
  if (policy.maxFailures === 0 || failures < policy.maxFailures) return 0;
  const doublings = Math.min(failures - policy.maxFailures, 30);
  return Math.min(policy.maxDelay, policy.initialDelay * 2 ** doublings);
}
