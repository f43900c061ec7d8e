import {
  type Account,
  type Tombstone,
  type Digest,
  type ObjectId,
  type RecordedAuditEvent,
  type Session,
  type StoredObject,
  type StoredRecord,
  touchInterval,
} from "@sallyport/core";

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

/** An account as stored. */
export interface AccountRecord extends Account {
  readonly confusableKey: string;
}

/** An object that is gone, as of its deletion. */
export interface TombstoneRecord {
  /** Without attributes if it cannot return. */
  readonly object: Omit<StoredObject, "attributes"> & Partial<Pick<StoredObject, "attributes">>;
  /** The object that it went together with. */
  readonly root: ObjectId;
  /** Who recycled it; `null` if that is unknown, or if it cannot return. */
  readonly deletedBy: ObjectId | null;
}

export function kindOf({ object }: TombstoneRecord): Tombstone["kind"] {
  return object.attributes === undefined ? "deleted" : "recycled";
}

/** A cipher block of a secure log-in as stored. */
export interface CipherBlockRecord {
  readonly clientKey: Digest;
  /** Id of the server's key that it is encrypted for. */
  readonly keyId: string;
  readonly uses: number;
  /** Milliseconds since 1970 by the storage's clock. */
  readonly firstUsedAt: number;
}

/** A record as it is kept; times are milliseconds since 1970. */
export interface KeptRecord extends Omit<StoredRecord, "age"> {
  readonly kind: string;
  /** `null`: it never ends. */
  readonly expiresAt: number | null;
  /** `null`: it was not claimed since it was put. */
  readonly dueAt: number | null;
  readonly claims: number;
}

/** Attempts that are alike, counted until they become an event. */
export type AuditTally = Omit<RecordedAuditEvent, "sequence">;
