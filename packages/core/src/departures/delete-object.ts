import { ServiceError } from "../errors/service-error.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import { visibleObject } from "../objects/visible-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import { guardUsers } from "./guard-users.ts";
import { refuseGroupsWithRights } from "./refuse-groups-with-rights.ts";
import { removeUsers } from "./remove-users.ts";
import { thoseWhoGo } from "./those-who-go.ts";

export interface DeleteObjectInput {
  /** Whether the object can be restored. */
  readonly recycled: boolean;
  /** Versions that it may have; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/**
 * Deletes an object, in one transaction with all that follows from it: those that point to it lose the value, go with it, or keep it
 * from going, as their attributes say. One that never existed or that the caller may not see: 304; one that is gone: 609; without
 * the right to delete, and users for those who are no administrators: 404; another version: 713; what keeps it from going, be it a
 * rule, a lock of another session, rights that a class gives to a group, or that nobody would be an administrator: 718.
 */
export class DeleteObject {
  run(context: SessionContext, reference: SingleReference, { recycled, expectedVersions }: DeleteObjectInput): Promise<void> {
    const { r, unit, principal } = context;
    return withCurrentModel(context, async (model) => {
      const visibility = visibilityOf(principal, model);
      const { id, className } = await visibleObject(r, reference, visibility, 609);
      const modelClass = model.find(className);
      if (modelClass === undefined) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "delete")) throw new ServiceError(404);
      guardUsers([{ className }], { model, principal });
      await unit.transaction(async (inside) => {
        const { departures } = inside;
        const [held] = await departures.hold([id], { modelGeneration: model.generation });
        if (held === undefined) throw new ServiceError(609);
        if (expectedVersions !== null && !expectedVersions.includes(held.object.version)) throw new ServiceError(713, { detail: "The object has another version." });
        const { going, losing, refusal } = await thoseWhoGo(held, { departures, model, session: context.sessionDigest, recycled });
        guardUsers(going, { model, principal });
        if (refusal !== null) throw refusal;
        refuseGroupsWithRights(going, { model, visibility });
        await removeUsers(inside, going, { model, principal });
        if (losing.length > 0) await departures.clear(losing);
        await departures.depart(going.map((object) => object.id), { recycled, leader: id });
      });
    });
  }
}
