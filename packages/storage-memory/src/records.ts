import {
  type Account,
  type Digest,
  type ObjectId,
  type RecordedAuditEvent,
  type Session,
  type StoredObject,
  type StoredRecord,
  type Tombstone,
  touchInterval,
} from "@sallyport/storage";

/** A session as stored. Times are milliseconds since 1970 by the storage's clock. */
export interface SessionRecord {
  readonly session: Session;
  /** The session is valid only with this version of the account's secret. */
  readonly secretVersion: number;
  readonly address: string | null;
  readonly openedAt: number;
  readonly expiresAt: number;
  /** The absolute expiry, which a touch never extends. */
  readonly endsAt: number;
}

export function isLive(record: SessionRecord, now: number): boolean {
  return now < record.expiresAt;
}

/** Whether the idle expiry is due for extension. */
export function isTouchDue(record: SessionRecord, idleTimeout: number, now: number): boolean {
  return record.expiresAt < record.endsAt && record.expiresAt - now <= idleTimeout - touchInterval(idleTimeout);
}

export function touched(record: SessionRecord, idleTimeout: number, now: number): SessionRecord {
  return { ...record, expiresAt: Math.min(now + idleTimeout, record.endsAt) };
}

export interface AccountRecord extends Account {
  readonly confusableKey: string;
}

/** A deleted object, as of its deletion. */
export interface TombstoneRecord {
  /** Without attributes if it cannot be restored. */
  readonly object: Omit<StoredObject, "attributes"> & Partial<Pick<StoredObject, "attributes">>;
  /** The root of the deletion. */
  readonly root: ObjectId;
  /** The user who deleted it; `null` if unknown. */
  readonly deletedBy: ObjectId | null;
}

export function kindOf({ object }: TombstoneRecord): Tombstone["kind"] {
  return object.attributes === undefined ? "deleted" : "recycled";
}

/** A cipher block of a secure log-in as stored. */
export interface CipherBlockRecord {
  readonly clientKey: Digest;
  /** Id of the server key that it is encrypted for. */
  readonly keyId: string;
  readonly uses: number;
  /** Milliseconds since 1970 by the storage's clock. */
  readonly firstUsedAt: number;
}

/** A record as stored; times are milliseconds since 1970. */
export interface KeptRecord extends Omit<StoredRecord, "age"> {
  readonly kind: string;
  /** `null` for a permanent record. */
  readonly expiresAt: number | null;
  /** `null` for a record that was not claimed since it was put. */
  readonly dueAt: number | null;
  readonly claims: number;
}

/** Equal attempts, counted until they become an event. */
export type AuditTally = Omit<RecordedAuditEvent, "sequence">;
