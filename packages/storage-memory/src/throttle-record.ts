import { delayAfter, type ThrottlePolicy } from "@sallyport/storage";

/** The failures of one key. Times are milliseconds since 1970 by the storage's clock. */
export interface ThrottleRecord {
  readonly failures: number;
  /** When the failures expire. */
  readonly expiresAt: number;
  /** Start of the current delay: a failure or a reserved attempt. */
  readonly delayedAt: number;
}

/** The result of an attempt for one key. */
export type AttemptState =
  | { readonly kind: "free" }
  | { readonly kind: "reservable" }
  | { readonly kind: "wait"; readonly wait: number };

/** Judges an attempt; a missing or expired record lets it pass. */
export function attemptStateOf(record: ThrottleRecord | undefined, policy: ThrottlePolicy, now: number): AttemptState {
  if (record === undefined || isExpired(record, now)) return { kind: "free" };
  const delay = delayAfter(record.failures, policy);
  if (delay === 0) return { kind: "free" };
  const wait = record.delayedAt + delay - now;
  return wait > 0 ? { kind: "wait", wait } : { kind: "reservable" };
}

/** The record after one more failure. */
export function failed(record: ThrottleRecord | undefined, policy: ThrottlePolicy, now: number): ThrottleRecord {
  const failures = record === undefined || isExpired(record, now) ? 0 : record.failures;
  return { failures: failures + 1, expiresAt: now + policy.resetAfter, delayedAt: now };
}

/** The record after the attempt that its delay allows. */
export function reserved(record: ThrottleRecord, now: number): ThrottleRecord {
  return { ...record, delayedAt: now };
}

export function isExpired({ expiresAt }: ThrottleRecord, now: number): boolean {
  return now >= expiresAt;
}
