import { type ObjectId, objectNumber } from "../entities/object-id.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { Lock, LockRepository } from "../ports/lock-repository.ts";
import { keysOf } from "./stored-objects.ts";
import { liveSession } from "./sessions.ts";
import { lockTable, type LockRow, objectTable } from "./tables.ts";
import { lockWrites } from "./writes/lock-writes.ts";

export const lockRepository = (access: Access): LockRepository => ({
  ...lockWrites((work) =>
    access.write(async (rows) => {
      const now = await rows.now();
      return work({
        isLive: async (id) => (await rows.get(objectTable, objectNumber(id))) !== undefined,
        lock: (id) => lockOf(rows, id, now),
        // All locks of a live session are in force, and those of another one count for none.
        count: async (session) =>
          (await liveSession(rows, session, now)) === undefined
            ? 0
            : rows.count(lockTable, { index: "bySession", of: [session] }),
        put: (id, session) => rows.put(lockTable, { id, session, since: now }),
        remove: (id) => rows.delete(lockTable, [objectNumber(id)]),
      });
    }),
  ),

  state: (id) => access.read(async (rows) => lockOf(rows, id, await rows.now())),
});

async function lockOf(rows: RowReader, id: ObjectId, now: number): Promise<Lock | null> {
  for (const { session, since } of await rows.getAll(lockTable, keysOf([id]))) {
    const live = await liveSession(rows, session, now);
    if (live !== undefined) return Object.freeze({ session, userId: live.session.userId, since });
  }
  return null;
}

/** The locks of objects whose sessions are live. */
export async function liveLocks(rows: RowReader, ids: readonly ObjectId[], now: number): Promise<LockRow[]> {
  const locks: LockRow[] = [];
  for (const lock of await rows.getAll(lockTable, keysOf(ids)))
    if ((await liveSession(rows, lock.session, now)) !== undefined) locks.push(lock);
  return locks;
}
