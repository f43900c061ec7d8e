import type { Digest } from "../digests/index.ts";
import type { ObjectId } from "./entities/object-id.ts";

/** The lock of an object. */
export interface Lock {
  /** Digest of the session that holds it. */
  readonly session: Digest;
  /** When it was taken by the storage's clock, milliseconds since 1970. */
  readonly since: number;
}

/**
 * Port: locks on objects. A lock belongs to one session and lives as long as it: that of a session which was ended,
 * replaced or expired is as good as absent in every call.
 */
export interface LockRepository {
  /**
   * Locks a live object for a session, unless another session has it locked: then `held`. Taking it again changes
   * nothing and is `taken`. `gone` when there is no such object. `full` when the session has `atMost` other locks, however many it
   * takes at once; 0, or none given, means any number. Once it is `taken`, no other session changes the object, not even with a
   * write that was under way.
   */
  take(id: ObjectId, session: Digest, atMost?: number): Promise<"taken" | "held" | "gone" | "full">;

  /** Gives the lock free: of this session, or of any with `null`. `held` when it is another's, `free` when there was none. */
  release(id: ObjectId, session: Digest | null): Promise<"released" | "held" | "free">;

  /** The lock of an object, or `null`. */
  state(id: ObjectId): Promise<Lock | null>;

  /** Forgets at most `limit` locks whose session is over; how many it were. */
  sweep(limit: number): Promise<number>;
}
