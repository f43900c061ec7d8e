import { ServiceError } from "../errors/service-error.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import type { SessionContext } from "../request/request-context.ts";
import { lockableObject } from "./lockable-object.ts";
import { type ObjectLock, objectLock } from "./object-lock.ts";

/** Gives a lock free, also one that is free already. That of another session: 713, unless an administrator asks. */
export class UnlockObject {
  async run(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
    const { r, database, principal, sessionDigest } = context;
    const id = await lockableObject(context, reference);
    const outcome = await r.locks.release(id, principal.administrator ? null : sessionDigest);
    if (outcome === "held") throw new ServiceError(713, { detail: "The object is locked by another session." });
    return objectLock(null, sessionDigest, database);
  }
}
