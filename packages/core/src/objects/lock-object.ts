import {
  type Digest,
  type Lock,
  type ObjectId,
  refusedAs,
  ServiceError,
  type SingleReference,
} from "@sallyport/storage";
import { mayOnClass, visibilityOf } from "../model/index.ts";
import { type Database, requestModel, type SessionContext } from "../request/index.ts";
import { visibleObject } from "./get-object.ts";
import { withoutRight } from "./object-findings.ts";

/**
 * Locks an object for the session; idempotent. 713: locked by another session, or the storage refuses the lock. 307: too
 * many locks of the session.
 */
export async function lockObject(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
  const { r, database, sessionDigest } = context;
  const id = await lockableObject(context, reference);
  const { perSession } = database.policy.locks;
  const outcome = await refusedAs(713, r.locks.take(id, sessionDigest, perSession));
  if (outcome === "notFound") throw new ServiceError(610);
  if (outcome === "lockedByOther") throw new ServiceError(713, { detail: "The object is locked by another session." });
  if (outcome === "limitReached")
    throw new ServiceError(307, { detail: `The session already holds ${perSession} locks.` });
  return objectLock(await r.locks.state(id), sessionDigest, database);
}

/**
 * Releases a lock; idempotent. 713 for a lock of another session, unless the caller is an administrator, or if the storage
 * refuses the release.
 */
export async function unlockObject(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
  const { r, database, principal, sessionDigest } = context;
  const id = await lockableObject(context, reference);
  const outcome = await refusedAs(713, r.locks.release(id, principal.administrator ? null : sessionDigest));
  if (outcome === "lockedByOther") throw new ServiceError(713, { detail: "The object is locked by another session." });
  return objectLock(null, sessionDigest, database);
}

/** Returns the lock state of an object. 304: the object never existed or is invisible. 609: it is deleted. */
export async function getLock(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
  const { r, database, principal, sessionDigest } = context;
  const model = await requestModel(context);
  const { id } = await visibleObject(r, reference, visibilityOf(principal, model), 609);
  return objectLock(await r.locks.state(id), sessionDigest, database);
}

/** Id of an object that the caller may write. 304: it never existed or is invisible. 610: it is deleted. 404: no right to write. */
async function lockableObject(context: SessionContext, reference: SingleReference): Promise<ObjectId> {
  const { r, principal } = context;
  const model = await requestModel(context);
  const { id, className } = await visibleObject(r, reference, visibilityOf(principal, model), 610);
  const modelClass = model.find(className);
  if (modelClass === undefined) throw new ServiceError(404);
  if (!mayOnClass(principal, modelClass, "write")) throw withoutRight("write", modelClass);
  return id;
}

export interface ObjectLock {
  readonly isLocked: boolean;
  /** One sentence with owner and time of the lock; empty if unlocked. */
  readonly messages: readonly string[];
}

/** The lock as shown to the session. Does not identify other sessions. */
function objectLock(lock: Lock | null, session: Digest, { storeTime }: Pick<Database, "storeTime">): ObjectLock {
  if (lock === null) return { isLocked: false, messages: [] };
  const holder = lock.session === session ? "This session" : "Another session";
  return { isLocked: true, messages: [`${holder} has locked the object since ${storeTime.format(lock.since)}.`] };
}
