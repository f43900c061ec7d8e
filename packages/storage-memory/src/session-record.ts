import { type Session, touchInterval } from "@sallyport/core";

/** A session as stored. Times are milliseconds since 1970 by the storage's clock. */
export interface SessionRecord {
  readonly session: Session;
  /** Version of the account's secret that the session is good with. */
  readonly secretVersion: number;
  readonly touchedAt: number;
  readonly expiresAt: number;
  /** The absolute end, which no touch moves. */
  readonly endsAt: number;
}

export function isLive(record: SessionRecord, now: number): boolean {
  return now < record.expiresAt;
}

/** Whether the idle expiry has to be extended at this moment. */
export function isTouchDue(record: SessionRecord, idleTimeout: number, now: number): boolean {
  return now - record.touchedAt >= touchInterval(idleTimeout);
}

export function touched(record: SessionRecord, idleTimeout: number, now: number): SessionRecord {
  return { ...record, touchedAt: now, expiresAt: Math.min(now + idleTimeout, record.endsAt) };
}
