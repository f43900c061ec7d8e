import { isObjectId, type ObjectId, objectNumber } from "../entities/object-id.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader } from "../kernel/rows.ts";
import type { Lock, LockRepository } from "../ports/lock-repository.ts";
import { liveSession } from "./sessions.ts";
import { lockTable, type LockRow, objectTable } from "./tables.ts";

export const lockRepository = (access: Access): LockRepository => ({
  take: (id, session, atMost = 0) =>
    access.write(async (rows) => {
      if (!isObjectId(id) || (await rows.get(objectTable, objectNumber(id))) === undefined) return "notFound";
      const now = await rows.now();
      const lock = await liveLock(rows, id, now);
      if (lock !== null) return lock.session === session ? "locked" : "lockedByOther";
      // All locks of a live session are in force, and those of another one count for none.
      const isLive = (await liveSession(rows, session, now)) !== undefined;
      const taken = isLive ? await rows.count(lockTable, { index: "bySession", of: [session] }) : 0;
      if (atMost > 0 && taken >= atMost) return "limitReached";
      await rows.put(lockTable, { id, session, since: now });
      return "locked";
    }),

  release: (id, session) =>
    access.write(async (rows) => {
      const lock = isObjectId(id) ? await liveLock(rows, id, await rows.now()) : null;
      if (lock === null) return "notLocked";
      if (session !== null && lock.session !== session) return "lockedByOther";
      await rows.delete(lockTable, [objectNumber(id)]);
      return "released";
    }),

  state: (id) => access.read(async (rows) => (isObjectId(id) ? liveLock(rows, id, await rows.now()) : null)),

  sweep: (limit) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const over: LockRow[] = [];
      // From session to session, so that the locks of live ones cost nothing.
      let first = await rows.first(lockTable, { index: "bySession" });
      while (first !== undefined && over.length < limit) {
        const { session } = first;
        if ((await liveSession(rows, session, now)) === undefined)
          over.push(...(await rows.list(lockTable, { index: "bySession", of: [session] }, limit - over.length)));
        first = await rows.first(lockTable, { index: "bySession", after: [session] });
      }
      await rows.delete(lockTable, ...over.map(({ id }) => [objectNumber(id)]));
      return over.length;
    }),
});

/** The lock of an object, if its session is live. */
export async function liveLock(rows: RowReader, id: ObjectId, now: number): Promise<Lock | null> {
  const row = await rows.get(lockTable, objectNumber(id));
  if (row === undefined || (await liveSession(rows, row.session, now)) === undefined) return null;
  return Object.freeze({ session: row.session, since: row.since });
}
