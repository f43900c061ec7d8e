import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import { visibilityOf } from "../rights/index.ts";
import type { ObjectReference } from "./object-reference.ts";
import { ObjectSerializer } from "./object-serializer.ts";
import type { SerializedObject } from "./serialized-object.ts";

export interface FoundObject {
  readonly object: SerializedObject;
  /** For the `ETag` of the answer. */
  readonly version: number;
}

/** Reads one object. One that never existed or that the caller may not see: 304. */
export class GetObject {
  /** References are followed to `depth`, the default one unless given. */
  async run(
    context: SessionContext,
    reference: Exclude<ObjectReference, { kind: "class" }>,
    depth?: number,
  ): Promise<FoundObject> {
    const { r, database, principal, modelGeneration } = context;
    const model = await database.models.current(modelGeneration, r.model);
    const visibility = visibilityOf(principal, model);
    const found =
      reference.kind === "id"
        ? (await r.objects.get([reference.id], visibility))[0]
        : await r.objects.getByUuid(reference.uuid, visibility);
    if (found === undefined || found === null) throw new ServiceError(304);
    const source = { model, objects: r.objects, visibility, storeTime: database.storeTime };
    const serializer = new ObjectSerializer(source, depth);
    const [object] = await serializer.run([found]);
    return { object: object as SerializedObject, version: found.version };
  }
}
