import type { Digest } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import { mayOnClass, visibilityOf } from "../model/index.ts";
import { type Database, requestModel, type SessionContext } from "../request/index.ts";
import type { Lock, ObjectId, SingleReference } from "../storage/index.ts";
import { visibleObject } from "./get-object.ts";

/** Locks an object for the session, also again. Locked by another: 713; more locks than a session may have: 307. */
export class LockObject {
  async lockObject(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
    const { r, database, sessionDigest } = context;
    const id = await lockableObject(context, reference);
    const { perSession } = database.policy.locks;
    const outcome = await r.locks.take(id, sessionDigest, perSession);
    if (outcome === "gone") throw new ServiceError(610);
    if (outcome === "held") throw new ServiceError(713, { detail: "The object is locked by another session." });
    if (outcome === "full")
      throw new ServiceError(307, { detail: `The session has locked ${perSession} objects already.` });
    return objectLock(await r.locks.state(id), sessionDigest, database);
  }
}

/** Gives a lock free, also one that is free already. That of another session: 713, unless an administrator asks. */
export class UnlockObject {
  async unlockObject(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
    const { r, database, principal, sessionDigest } = context;
    const id = await lockableObject(context, reference);
    const outcome = await r.locks.release(id, principal.administrator ? null : sessionDigest);
    if (outcome === "held") throw new ServiceError(713, { detail: "The object is locked by another session." });
    return objectLock(null, sessionDigest, database);
  }
}

/** Tells whether an object is locked. One that never existed or that the caller may not see: 304; one that is gone: 609. */
export class GetLock {
  async getLock(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
    const { r, database, principal, sessionDigest } = context;
    const model = await requestModel(context);
    const { id } = await visibleObject(r, reference, visibilityOf(principal, model), 609);
    return objectLock(await r.locks.state(id), sessionDigest, database);
  }
}

/** The object that is meant, for those who may write it. One that never existed or that the caller may not see: 304; one that is gone: 610; without the right to write: 404. */
async function lockableObject(context: SessionContext, reference: SingleReference): Promise<ObjectId> {
  const { r, principal } = context;
  const model = await requestModel(context);
  const { id, className } = await visibleObject(r, reference, visibilityOf(principal, model), 610);
  const modelClass = model.find(className);
  if (modelClass === undefined || !mayOnClass(principal, modelClass, "write")) throw new ServiceError(404);
  return id;
}

export interface ObjectLock {
  readonly isLocked: boolean;
  /** Who holds it since when, in a sentence; none when nobody does. */
  readonly messages: readonly string[];
}

/** What the session sees of a lock: whether it is its own, but not whose else. */
function objectLock(lock: Lock | null, session: Digest, { storeTime }: Pick<Database, "storeTime">): ObjectLock {
  if (lock === null) return { isLocked: false, messages: [] };
  const holder = lock.session === session ? "This session" : "Another session";
  return { isLocked: true, messages: [`${holder} has locked the object since ${storeTime.format(lock.since)}.`] };
}
