import { ServiceError } from "../errors/service-error.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { FoundObject } from "../objects/get-object.ts";
import { planSerialization, type Serialization } from "../objects/serialization/index.ts";
import { serializationSource } from "../objects/serialization-source.ts";
import { serializeWritten } from "../objects/serialize-written.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { SingleReference } from "../objects/object-reference.ts";
import { visibleObject } from "../objects/visible-object.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import { acceptReturn } from "./accept-return.ts";

/**
 * Brings a recycled object back, and all that was recycled with it. One that never existed or that the caller may not see: 304; one
 * that was deleted for good: 609; without the right to delete: 404; one that is there, and one that does not fit its class as that is now, alone or with
 * what would return with it: 307. It stays in the recycler then.
 */
export class RestoreObject {
  run(context: SessionContext, reference: SingleReference, serialization?: Serialization): Promise<FoundObject> {
    const { r, unit, principal } = context;
    return withCurrentModel(context, async (model) => {
      const visibility = visibilityOf(principal, model);
      const departure = await r.departures.find(reference, visibility);
      const { id, className } = departure ?? (await visibleObject(r, reference, visibility, 609));
      const modelClass = model.find(className);
      if (modelClass === undefined) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "delete")) throw new ServiceError(404);
      if (departure === null) throw isThere();
      if (departure.kind === "deleted") throw new ServiceError(609);
      const plan = planSerialization(serialization, { model, visibility, className });
      const restored = await unit.transaction(async ({ departures }) => {
        const group = await departures.recycledWith(id, { modelGeneration: model.generation });
        return departures.restore(await acceptReturn(group, { departures, model, visibility }));
      });
      // Somebody else was faster.
      if (restored.length === 0) throw isThere();
      const root = restored.find((object) => object.id === id) as StoredObject;
      const object = await serializeWritten(serializationSource(context, visibility), plan, root);
      return { object, version: root.version };
    });
  }
}

function isThere(): ServiceError {
  return new ServiceError(307, { detail: "The object is not in the recycler." });
}
