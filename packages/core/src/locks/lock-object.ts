import { ServiceError } from "../errors/service-error.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import type { SessionContext } from "../request/request-context.ts";
import { lockableObject } from "./lockable-object.ts";
import { type ObjectLock, objectLock } from "./object-lock.ts";

/**
 * Locks an object for the session of the request, also again. One that another session has locked: 713; more than a session may
 * lock: 307.
 */
export class LockObject {
  async run(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
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
