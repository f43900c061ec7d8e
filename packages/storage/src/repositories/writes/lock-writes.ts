import type { Digest } from "../../digests/index.ts";
import { isObjectId, type ObjectId } from "../../entities/object-id.ts";
import type { Lock, LockRepository } from "../../ports/lock-repository.ts";

/** The statements of an adapter on the locks of objects, in a transaction that excludes writers of objects and other lockers. */
export interface LockWriter {
  /** Whether there is such a live object. */
  isLive(id: ObjectId): Promise<boolean>;

  /** The lock of an object; `null` if there is none of a live session. */
  lock(id: ObjectId): Promise<Lock | null>;

  /** The locks of a live session; 0 of another one. */
  count(session: Digest): Promise<number>;

  /** Stores a lock, in place of one of a session that has ended. */
  put(id: ObjectId, session: Digest): Promise<unknown>;
  remove(id: ObjectId): Promise<unknown>;
}

/** Takes and releases locks over the statements of an adapter: a running write ends first, and a later one sees the lock. */
export const lockWrites = (
  write: <T>(work: (writer: LockWriter) => Promise<T>) => Promise<T>,
): Pick<LockRepository, "take" | "release"> => ({
  async take(id, session, atMost = 0) {
    if (!isObjectId(id)) return "notFound";
    return write(async (writer) => {
      if (!(await writer.isLive(id))) return "notFound";
      const lock = await writer.lock(id);
      if (lock !== null) return lock.session === session ? "locked" : "lockedByOther";
      if (atMost > 0 && (await writer.count(session)) >= atMost) return "limitReached";
      await writer.put(id, session);
      return "locked";
    });
  },

  async release(id, session) {
    if (!isObjectId(id)) return "notLocked";
    return write(async (writer) => {
      const lock = await writer.lock(id);
      if (lock === null) return "notLocked";
      if (session !== null && lock.session !== session) return "lockedByOther";
      await writer.remove(id);
      return "released";
    });
  },
});
