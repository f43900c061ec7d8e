import type { Digest } from "../digests/index.ts";
import type { ObjectId } from "../entities/object-id.ts";

export interface Lock {
  /** Digest of the session that owns the lock. */
  readonly session: Digest;
  /** User of that session. */
  readonly userId: ObjectId;
  /** Time of the lock, milliseconds since 1970 by the storage's clock. */
  readonly since: number;
}

/**
 * Port: locks on objects. A lock belongs to one session and ends with it. Every call ignores the locks of ended,
 * replaced and expired sessions.
 */
export interface LockRepository {
  /**
   * Locks a live object for a session. `locked`: also if the session already had the lock. `lockedByOther`: another
   * session has the lock. `notFound`: there is no such live object. `limitReached`: the session has `atMost` other locks (default
   * 0: unlimited). The limit is exact under concurrency. After `locked`, no other session can change the object, not
   * even with a concurrent write.
   */
  take(
    id: ObjectId,
    session: Digest,
    atMost?: number,
  ): Promise<"locked" | "lockedByOther" | "notFound" | "limitReached">;

  /** Releases the lock of this session, or of any session with `null`. `lockedByOther`: another session has the lock. `notLocked`: there was no lock. */
  release(id: ObjectId, session: Digest | null): Promise<"released" | "lockedByOther" | "notLocked">;

  /** The lock of an object; `null` if there is none. */
  state(id: ObjectId): Promise<Lock | null>;
}
