import { ServiceError } from "../errors/service-error.ts";
import type { Model } from "../model/model.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { HeldObject } from "./held-object.ts";

/** Holds the object that is to be deleted. One that is gone meanwhile: 609; another version than those expected: 713. */
export async function heldFirst(
  { departures }: Pick<Repositories, "departures">,
  id: ObjectId,
  { model, expectedVersions }: { readonly model: Model; readonly expectedVersions: readonly number[] | null },
): Promise<HeldObject> {
  const [held] = await departures.hold([id], { modelGeneration: model.generation });
  if (held === undefined) throw new ServiceError(609);
  if (expectedVersions !== null && !expectedVersions.includes(held.object.version))
    throw new ServiceError(713, { detail: "The object has another version." });
  return held;
}
