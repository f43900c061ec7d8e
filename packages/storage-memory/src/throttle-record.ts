import { delayAfter, type ThrottlePolicy } from "@sallyport/core";

/** The failures of one key. Times are milliseconds since 1970 by the storage's clock. */
export interface ThrottleRecord {
  readonly failures: number;
  /** When the failures are forgotten. */
  readonly forgetAt: number;
  /** When the delay last began: at a failure or when an attempt was claimed. */
  readonly delayedAt: number;
}

/** What one attempt meets at one key. */
export type Verdict =
  | { readonly kind: "free" }
  | { readonly kind: "claimable" }
  | { readonly kind: "wait"; readonly wait: number };

/** Judges an attempt at one moment; a record that is absent or forgotten lets it through. */
export function judge(record: ThrottleRecord | undefined, policy: ThrottlePolicy, now: number): Verdict {
  if (record === undefined || isForgotten(record, now)) return { kind: "free" };
  const delay = delayAfter(record.failures, policy);
  if (delay === 0) return { kind: "free" };
  const wait = record.delayedAt + delay - now;
  return wait > 0 ? { kind: "wait", wait } : { kind: "claimable" };
}

/** The record after one more failure. */
export function failed(record: ThrottleRecord | undefined, policy: ThrottlePolicy, now: number): ThrottleRecord {
  const failures = record === undefined || isForgotten(record, now) ? 0 : record.failures;
  return { failures: failures + 1, forgetAt: now + policy.resetAfter, delayedAt: now };
}

/** The record after an attempt took the one try that its delay allows. */
export function claimed(record: ThrottleRecord, now: number): ThrottleRecord {
  return { ...record, delayedAt: now };
}

export function isForgotten({ forgetAt }: ThrottleRecord, now: number): boolean {
  return now >= forgetAt;
}
