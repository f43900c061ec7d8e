import { ServiceError } from "../errors/service-error.ts";
import { hooksOfDeletions } from "../hooks/hooks-of-deletions.ts";
import { noHooks, type ObjectHooks } from "../hooks/object-hooks.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import { visibleObject } from "../objects/visible-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import { acceptDeletion } from "./accept-deletion.ts";
import { deleteWithHooks } from "./delete-with-hooks.ts";
import { guardUsers } from "./guard-users.ts";
import { heldFirst } from "./held-first.ts";
import { removeThose } from "./remove-those.ts";

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
 * rule, a lock of another session, rights that a class gives to a group, or that nobody would be an administrator, and too many objects of the caller in the recycle bin: 718.
 */
export class DeleteObject {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  run(
    context: SessionContext,
    reference: SingleReference,
    { recycled, expectedVersions }: DeleteObjectInput,
  ): Promise<void> {
    const { r, unit, principal, database } = context;
    return withCurrentModel(context, async (model) => {
      const visibility = visibilityOf(principal, model);
      const { id, className } = await visibleObject(r, reference, visibility, 609);
      const modelClass = model.find(className);
      if (modelClass === undefined) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "delete")) throw new ServiceError(404);
      guardUsers([{ className }], { model, principal });
      const active = await hooksOfDeletions(this.hooks, context);
      const sight = { model, visibility };
      if (active !== null)
        return deleteWithHooks(active, context, id, { sight, known: model.as(principal), recycled, expectedVersions });
      return unit.transaction(async (inside) => {
        const held = await heldFirst(inside, id, { model, expectedVersions });
        const those = await acceptDeletion(inside, held, {
          ...sight,
          principal,
          session: context.sessionDigest,
          recycled,
        });
        await removeThose(inside, those, { model, principal, database, recycled, leader: id });
      });
    });
  }
}
