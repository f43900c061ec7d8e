import { ServiceError } from "../errors/service-error.ts";
import { withCurrentModel } from "../model/with-current-model.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass, visibilityOf } from "../rights/index.ts";
import type { FoundObject } from "./get-object.ts";
import { learnClass } from "./learn-class.ts";
import { prepareAttributes } from "./prepare-attributes.ts";
import { planSerialization, type Serialization } from "./serialization/index.ts";
import { serializationSource } from "./serialization-source.ts";
import { serializeWritten } from "./serialize-written.ts";
import type { StoredObject } from "./stored-object.ts";
import type { GivenAttributes } from "./values/accept-attributes.ts";

/**
 * Creates an object. A class that is unknown or not readable: 304; without the right to create: 404; a body that is none of
 * the class: 307. Without links that is one trip to the database.
 */
export class CreateObject {
  run(context: SessionContext, className: string, given: GivenAttributes, serialization?: Serialization): Promise<FoundObject> {
    const { r, principal, sessionDigest } = context;
    return withCurrentModel(context, async (model) => {
      const visibility = visibilityOf(principal, model);
      const modelClass = model.find(className);
      if (modelClass === undefined || visibility.classes?.has(className) === false) throw new ServiceError(304);
      if (!mayOnClass(principal, modelClass, "create")) throw new ServiceError(404);
      const plan = planSerialization(serialization, { model, visibility, className });
      const { attributes, links, targets } = await prepareAttributes(context, given, { model, modelClass, visibility, whole: true });
      const by = { session: sessionDigest, modelGeneration: model.generation };
      const [created] = (await r.objects.insert([{ className, attributes, links }], by)) as [StoredObject];
      learnClass(context, created);
      const object = await serializeWritten(serializationSource(context, visibility), plan, created, targets);
      return { object, version: created.version };
    });
  }
}
