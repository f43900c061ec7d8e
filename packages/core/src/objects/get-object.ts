import { visibilityOf } from "../model/index.ts";
import { type RequestContext, requestModel } from "../request/index.ts";
import { missingObject } from "./object-findings.ts";
import type { Repositories, SerializedObject, SingleReference, StoredObject, Visibility } from "@sallyport/storage";
import { hookedSource } from "./hooks/answer-hooks.ts";
import { planSerialization } from "./serialization/object-plan.ts";
import { ObjectSerializer } from "./serialization/object-serializer.ts";
import type { Serialization } from "./serialization/serialization.ts";
import type { ObjectContext } from "./hooks/active-hooks.ts";

export interface FoundObject {
  readonly object: SerializedObject;
  /** For the `ETag` of the answer. */
  readonly version: number;
}

/** Reads one object. 304: it never existed or is invisible. 609: it is deleted. */
export async function getObject(
  context: ObjectContext,
  reference: SingleReference,
  serialization?: Serialization,
): Promise<FoundObject> {
  const { r, principal } = context;
  const model = (await requestModel(context)).as(principal);
  const visibility = visibilityOf(principal, model);
  const storedObject = await visibleObject(r, reference, visibility, 609);
  cacheClass(context, storedObject);
  const plan = planSerialization(serialization, { model, visibility, className: storedObject.className });
  const [object] = await new ObjectSerializer(hookedSource(context, { model, visibility }), plan).serialize([
    storedObject,
  ]);
  return { object: object as SerializedObject, version: storedObject.version };
}

/** Finds one object. 304: it never existed or is invisible. `deletedCode`: it is deleted; 609 for reads and deletions, 610 for writes. */
export async function visibleObject(
  { objects, deletion }: Pick<Repositories, "objects" | "deletion">,
  reference: SingleReference,
  visibility: Visibility,
  deletedCode: 609 | 610,
): Promise<StoredObject> {
  const [object] = await objects.get(
    reference.kind === "id" ? [reference.id] : { uuids: [reference.uuid] },
    visibility,
  );
  if (object !== undefined) return object;
  const code = (await deletion.find(reference, visibility)) === null ? 304 : deletedCode;
  throw missingObject(code, reference, visibility);
}

/** Caches the class of an object. Skipped inside a transaction, which may roll back. */
export function cacheClass(
  { database, unit }: Pick<RequestContext, "database" | "unit">,
  object: Pick<StoredObject, "id" | "className">,
): void {
  if (!unit.joined) database.classes.set(object);
}
