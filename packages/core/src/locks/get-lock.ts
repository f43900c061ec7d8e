import { requestModel } from "../model/request-model.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import { visibleObject } from "../objects/visible-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { visibilityOf } from "../rights/index.ts";
import { type ObjectLock, objectLock } from "./object-lock.ts";

/** Tells whether an object is locked. One that never existed or that the caller may not see: 304; one that is gone: 609. */
export class GetLock {
  async run(context: SessionContext, reference: SingleReference): Promise<ObjectLock> {
    const { r, database, principal, sessionDigest } = context;
    const model = await requestModel(context);
    const { id } = await visibleObject(r, reference, visibilityOf(principal, model), 609);
    return objectLock(await r.locks.state(id), sessionDigest, database);
  }
}
