import type { Database } from "../databases/database.ts";
import type { Digest } from "../digests/digest.ts";
import type { Lock } from "./lock-repository.ts";

/** The lock of an object as clients see it. */
export interface ObjectLock {
  readonly isLocked: boolean;
  /** Who holds it since when, in a sentence; none when nobody does. */
  readonly messages: readonly string[];
}

/** What the session sees of a lock: whether it is its own, but not whose else. */
export function objectLock(lock: Lock | null, session: Digest, { storeTime }: Pick<Database, "storeTime">): ObjectLock {
  if (lock === null) return { isLocked: false, messages: [] };
  const holder = lock.session === session ? "This session" : "Another session";
  return { isLocked: true, messages: [`${holder} has locked the object since ${storeTime.format(lock.since)}.`] };
}
