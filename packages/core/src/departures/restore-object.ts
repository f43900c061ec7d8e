import { ServiceError } from "../errors/service-error.ts";
import { hooksOfSaves } from "../hooks/hooks-of-saves.ts";
import { hookedSource } from "../hooks/hooked-source.ts";
import { noHooks, type ObjectHooks } from "../hooks/object-hooks.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { FoundObject } from "../objects/get-object.ts";
import { planSerialization, type Serialization } from "../objects/serialization/index.ts";
import type { Sight } from "../objects/serialization-source.ts";
import { serializeWritten } from "../objects/serialize-written.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import { visibleObject } from "../objects/visible-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import { acceptReturn } from "./accept-return.ts";
import type { Knowledge } from "./referrer.ts";
import { restoreThose } from "./restore-those.ts";
import { restoreWithHooks } from "./restore-with-hooks.ts";

/**
 * Brings a recycled object back, and all that was recycled with it. One that never existed or that the caller may not see: 304; one
 * that was deleted for good: 609; without the right to delete: 404; one that is there, and one that does not fit its class as that is now, alone or with
 * what would return with it, and a user whose name looks like the name of another one by now: 307. It stays in the recycler then.
 */
export class RestoreObject {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  run(context: SessionContext, reference: SingleReference, serialization?: Serialization): Promise<FoundObject> {
    const { r, principal } = context;
    return withCurrentModel(context, async (model) => {
      const known = model.as(principal);
      const visibility = visibilityOf(principal, model);
      const departure = await r.departures.find(reference, visibility);
      const { id, className } = departure ?? (await visibleObject(r, reference, visibility, 609));
      const modelClass = model.find(className);
      if (modelClass === undefined) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "delete")) throw new ServiceError(404);
      if (departure === null) throw isThere();
      if (departure.kind === "deleted") throw new ServiceError(609);
      const plan = planSerialization(serialization, { model: known, visibility, className });
      // The check of the restored objects needs all attributes; hooks and the answer see those of the caller.
      const whole = { model, known, visibility };
      const sight = { model: known, visibility };
      const hooks = await hooksOfSaves(
        this.hooks,
        context,
        Array.from(model.all(), ({ definition }) => definition.name),
        sight,
      );
      const restored = await (hooks === null
        ? restore(context, id, whole)
        : restoreWithHooks(hooks, context, id, whole));
      // Somebody else was faster.
      if (restored.length === 0) throw isThere();
      const root = restored.find((object) => object.id === id) as StoredObject;
      const object = await serializeWritten(hookedSource(this.hooks, context, sight), plan, root);
      return { object, version: root.version };
    });
  }
}

function restore(
  { unit, database: { digests } }: SessionContext,
  id: ObjectId,
  { model, known, visibility }: Sight & Knowledge,
): Promise<readonly StoredObject[]> {
  return unit.transaction(async (inside) => {
    const { departures } = inside;
    const group = await departures.recycledWith(id, { modelGeneration: model.generation });
    return restoreThose(inside, await acceptReturn(group, { departures, model, known, visibility }), {
      model,
      digests,
    });
  });
}

function isThere(): ServiceError {
  return new ServiceError(307, { detail: "The object is not in the recycler." });
}
