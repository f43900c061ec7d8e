/** How repeated failures slow down further attempts. Times are milliseconds. */
export interface ThrottlePolicy {
  /** Failures without consequence; 0 switches the throttle off. */
  readonly freeFailures: number;
  /** Delay after the last free failure; doubled by every further one. */
  readonly firstDelay: number;
  readonly longestDelay: number;
  /** Failures are forgotten after this long without another. */
  readonly forgetAfter: number;
}

/** Milliseconds to wait after the given number of failures. */
export function delayAfter(failures: number, policy: ThrottlePolicy): number {
  if (policy.freeFailures === 0 || failures < policy.freeFailures) return 0;
  const doublings = Math.min(failures - policy.freeFailures, 30);
  return Math.min(policy.longestDelay, policy.firstDelay * 2 ** doublings);
}
