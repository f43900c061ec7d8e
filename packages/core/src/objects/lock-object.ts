import {
  type Lock,
  type ObjectId,
  refusedAs,
  requireAdministrator,
  ServiceError,
  type SingleReference,
  type StoredObject,
} from "@sallyport/storage";
import { mayOnClass, visibilityOf } from "../model/index.ts";
import { changesBetween, requestModel, sessionEvent, type SessionContext } from "../request/index.ts";
import { visibleObject } from "./get-object.ts";
import { withoutRight } from "./object-findings.ts";

export interface LockOptions {
  /** Whether to end the lock of another session, with an audit event. For administrators. */
  readonly takeOver?: boolean;
}

/**
 * Locks an object for the session; idempotent. 713: locked by another session, or the storage refuses the lock. 307: too
 * many locks of the session. 404: no right to write, or `takeOver` by another user than an administrator.
 */
export async function lockObject(
  context: SessionContext,
  reference: SingleReference,
  { takeOver = false }: LockOptions = {},
): Promise<ObjectLock> {
  const { r, principal } = context;
  const object = await lockableObject(context, reference);
  if (takeOver) {
    requireAdministrator(principal);
    await refusedAs(713, takeOverLock(context, object));
  } else await refusedAs(713, takeLock(context, object.id));
  return objectLock(context, await r.locks.state(object.id));
}

async function takeLock({ r, database, sessionDigest }: SessionContext, id: ObjectId): Promise<void> {
  const { perSession } = database.policy.locks;
  const outcome = await r.locks.take(id, sessionDigest, perSession);
  if (outcome === "notFound") throw new ServiceError(610);
  if (outcome === "lockedByOther") throw new ServiceError(713, { detail: "The object is locked by another session." });
  if (outcome === "limitReached")
    throw new ServiceError(307, { detail: `The session already holds ${perSession} locks.` });
}

/** No write of another session comes between both locks. */
function takeOverLock(context: SessionContext, { id, className }: StoredObject): Promise<void> {
  const { sessionDigest, principal } = context;
  return context.unit.transaction(async (r) => {
    await r.objects.lock([id]);
    const former = await r.locks.state(id);
    if (former !== null && former.session !== sessionDigest) {
      await r.locks.release(id, null);
      const changes = changesBetween({ holder: former.userId }, { holder: principal.userId, object: id });
      await r.audit.append(sessionEvent(context, { type: "objectLock.takenOver", className, changes }));
    }
    await takeLock({ ...context, r }, id);
  });
}

/**
 * Releases a lock; idempotent. 713 for a lock of another session, unless the caller is an administrator, or if the storage
 * refuses the release.
 */
export async function unlockObject(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
  const { r, principal, sessionDigest } = context;
  const { id } = await lockableObject(context, reference);
  const outcome = await refusedAs(713, r.locks.release(id, principal.administrator ? null : sessionDigest));
  if (outcome === "lockedByOther") throw new ServiceError(713, { detail: "The object is locked by another session." });
  return unlocked;
}

/** Returns the lock state of an object. 304: the object never existed or is invisible. 609: it is deleted. */
export async function getLock(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
  const { r, principal } = context;
  const model = await requestModel(context);
  const { id } = await visibleObject(r, reference, visibilityOf(principal, model), 609);
  return objectLock(context, await r.locks.state(id));
}

/** An object that the caller may write. 304: it never existed or is invisible. 610: it is deleted. 404: no right to write. */
async function lockableObject(context: SessionContext, reference: SingleReference): Promise<StoredObject> {
  const { r, principal } = context;
  const model = await requestModel(context);
  const object = await visibleObject(r, reference, visibilityOf(principal, model), 610);
  const modelClass = model.find(object.className);
  if (modelClass === undefined) throw new ServiceError(404);
  if (!mayOnClass(principal, modelClass, "write")) throw withoutRight("write", modelClass);
  return object;
}

export interface ObjectLock {
  readonly isLocked: boolean;
  /** One sentence with owner and time of the lock; empty if unlocked. */
  readonly messages: readonly string[];
  /** Whether the session holds the lock. Absent if unlocked, like the others. */
  readonly isOwn?: boolean;
  /** Time of the lock, in the form of `~StoreTime`. */
  readonly since?: string;
  /** User of the session that holds the lock. Absent also if the caller cannot see the user. */
  readonly userId?: ObjectId;
}

const unlocked: ObjectLock = { isLocked: false, messages: [] };

/** The lock as shown to the session. Does not identify other sessions, and users only to those who can see them. */
async function objectLock(context: SessionContext, lock: Lock | null): Promise<ObjectLock> {
  if (lock === null) return unlocked;
  const { r, database, principal, sessionDigest } = context;
  const { session, userId } = lock;
  const isOwn = session === sessionDigest;
  const since = database.storeTime.format(lock.since);
  const visibility = visibilityOf(principal, await requestModel(context));
  const seen = userId === principal.userId || (await r.objects.outlines([userId], visibility)).length > 0;
  const holder = isOwn ? "This session" : "Another session";
  const messages = [`${holder} has locked the object since ${since}.`];
  return { isLocked: true, messages, isOwn, since, ...(seen ? { userId } : {}) };
}
