import { ServiceError } from "../errors/index.ts";
import type { RequestContext } from "../request/index.ts";
import type { Repositories, SingleReference, StoredObject, Visibility } from "../storage/index.ts";

/**
 * The object that is meant; one that never existed or that the caller may not see: 304. One that is gone, and that the caller could
 * see: 609 for those who read or delete, 610 for those who write.
 */
export async function visibleObject(
  { objects, departures }: Pick<Repositories, "objects" | "departures">,
  reference: SingleReference,
  visibility: Visibility,
  gone: 609 | 610,
): Promise<StoredObject> {
  const [found] = await objects.get(reference.kind === "id" ? [reference.id] : { uuids: [reference.uuid] }, visibility);
  if (found !== undefined) return found;
  throw new ServiceError((await departures.find(reference, visibility)) === null ? 304 : gone);
}

/** Remembers of which class an object is, unless it may be one that never comes to be. */
export function learnClass(
  { database, unit }: Pick<RequestContext, "database" | "unit">,
  object: Pick<StoredObject, "id" | "className">,
): void {
  if (!unit.joined) database.classes.learn(object);
}
