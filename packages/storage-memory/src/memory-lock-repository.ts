import { type Digest, isObjectId, type Lock, type LockRepository, objectNumber } from "@sallyport/storage";
import type { Access } from "./access.ts";
import { isLive } from "./records.ts";
import type { State } from "./state.ts";

export const memoryLockRepository = (access: Access): LockRepository => ({
  take: (id, session, atMost = 0) =>
    access.write((state, now) => {
      if (!isObjectId(id) || !state.objects.has(objectNumber(id))) return "notFound";
      const lock = liveLock(state, objectNumber(id), now);
      if (lock !== null) return lock.session === session ? "locked" : "lockedByOther";
      if (atMost > 0 && countOf(state, session, now) >= atMost) return "limitReached";
      state.locks.set(objectNumber(id), Object.freeze({ session, since: now }));
      return "locked";
    }),

  release: (id, session) =>
    access.write((state, now) => {
      const lock = isObjectId(id) ? liveLock(state, objectNumber(id), now) : null;
      if (lock === null) return "notLocked";
      if (session !== null && lock.session !== session) return "lockedByOther";
      state.locks.delete(objectNumber(id));
      return "released";
    }),

  state: (id) => access.read((state, now) => (isObjectId(id) ? liveLock(state, objectNumber(id), now) : null)),

  sweep: (limit) =>
    access.write((state, now) => state.locks.sweep((_lock, number) => liveLock(state, number, now) === null, limit)),
});

function countOf(state: State, session: Digest, now: number): number {
  return [...state.locks.entries()].filter(([number]) => liveLock(state, number, now)?.session === session).length;
}

/** The lock of an object, if its session is live. */
export function liveLock({ locks, sessions }: State, number: number, now: number): Lock | null {
  const lock = locks.get(number);
  const holder = lock === undefined ? undefined : sessions.get(lock.session);
  return lock !== undefined && holder !== undefined && isLive(holder, now) ? lock : null;
}
