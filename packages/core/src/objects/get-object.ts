import { visibilityOf } from "../model/index.ts";
import { requestModel, type SessionContext } from "../request/index.ts";
import type { SerializedObject, SingleReference } from "../storage/index.ts";
import { noHooks, type ObjectHooks } from "./hooks/active-hooks.ts";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { planSerialization } from "./object-plan.ts";
import { ObjectSerializer } from "./object-serializer.ts";
import type { Serialization } from "./serialization.ts";
import { learnClass, visibleObject } from "./visible-object.ts";

export interface FoundObject {
  readonly object: SerializedObject;
  /** For the `ETag` of the answer. */
  readonly version: number;
}

/** Reads one object. One that never existed or that the caller may not see: 304; one that is gone: 609. */
export class GetObject {
  constructor(private readonly hooks: ObjectHooks = noHooks) {}

  async run(context: SessionContext, reference: SingleReference, serialization?: Serialization): Promise<FoundObject> {
    const { r, principal } = context;
    const model = (await requestModel(context)).as(principal);
    const visibility = visibilityOf(principal, model);
    const found = await visibleObject(r, reference, visibility, 609);
    learnClass(context, found);
    const plan = planSerialization(serialization, { model, visibility, className: found.className });
    const [object] = await new ObjectSerializer(hookedSource(this.hooks, context, { model, visibility }), plan).run([
      found,
    ]);
    return { object: object as SerializedObject, version: found.version };
  }
}
