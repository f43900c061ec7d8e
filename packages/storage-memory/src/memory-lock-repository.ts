import { type Digest, isObjectId, type Lock, type LockRepository, type ObjectId, objectNumber } from "@sallyport/core";
import type { Access } from "./access.ts";
import { isLive } from "./records.ts";
import type { State } from "./state.ts";

export class MemoryLockRepository implements LockRepository {
  constructor(private readonly access: Access) {}

  take(id: ObjectId, session: Digest, atMost = 0): Promise<"taken" | "held" | "gone" | "full"> {
    return this.access.write((state, now) => {
      if (!isObjectId(id) || !state.objects.has(objectNumber(id))) return "gone";
      const lock = liveLock(state, objectNumber(id), now);
      if (lock !== null) return lock.session === session ? "taken" : "held";
      if (atMost > 0 && countOf(state, session, now) >= atMost) return "full";
      state.locks.set(objectNumber(id), Object.freeze({ session, since: now }));
      return "taken";
    });
  }

  release(id: ObjectId, session: Digest | null): Promise<"released" | "held" | "free"> {
    return this.access.write((state, now) => {
      const lock = isObjectId(id) ? liveLock(state, objectNumber(id), now) : null;
      if (lock === null) return "free";
      if (session !== null && lock.session !== session) return "held";
      state.locks.delete(objectNumber(id));
      return "released";
    });
  }

  state(id: ObjectId): Promise<Lock | null> {
    return this.access.read((state, now) => (isObjectId(id) ? liveLock(state, objectNumber(id), now) : null));
  }

  sweep(limit: number): Promise<number> {
    return this.access.write((state, now) => {
      const over = [...state.locks.entries()]
        .filter(([number]) => liveLock(state, number, now) === null)
        .slice(0, limit);
      for (const [number] of over) state.locks.delete(number);
      return over.length;
    });
  }
}

/** How many locks a session has. */
function countOf(state: State, session: Digest, now: number): number {
  return [...state.locks.entries()].filter(([number]) => liveLock(state, number, now)?.session === session).length;
}

/** The lock of an object whose session lives. */
export function liveLock({ locks, sessions }: State, number: number, now: number): Lock | null {
  const lock = locks.get(number);
  const holder = lock === undefined ? undefined : sessions.get(lock.session);
  return lock !== undefined && holder !== undefined && isLive(holder, now) ? lock : null;
}
