import {
  type DeletionRepository,
  type Digest,
  isRefusedByStorage,
  type ObjectId,
  type RecycledRoot,
  type Referrer,
  refusedAs,
  requireAdministrator,
  ServiceError,
  type SingleReference,
  type Tombstone,
  untilDone,
  type Visibility,
} from "@sallyport/storage";
import { mayOnClass, type Model, visibilityOf } from "../../model/index.ts";
import { requestModel, type SessionContext, type Uses, withCurrentModel } from "../../request/index.ts";
import { visibleObject } from "../get-object.ts";
import { requireRightsOnUsers } from "./delete-object.ts";
import { type CallerKnowledge, clearLinks, maximum, referrerDetail, refused, ruleOf } from "./deletion-cascade.ts";
import { withoutRight } from "../object-findings.ts";
import type { UserGuard } from "../user-names.ts";

/** Maximum number of roots per request, each with its group. */
const maxRoots = 1_000;

interface PurgeContext extends SessionContext, Uses<{ readonly userGuard: UserGuard }> {}

/**
 * Purges one object with all objects recycled with it; returns their number. 304: the object never existed or is
 * invisible. 609: already permanently deleted. 404: no right to delete, or a user object without an administrator. 307:
 * not in the recycle bin. 718: a live object needs it, the last administrator needs it as a group, another session has
 * locked an object that references it, or the storage refuses the deletion.
 */
export function purgeRecycled(context: PurgeContext, reference: SingleReference): Promise<number> {
  return withCurrentModel(context, async (model) => {
    const { id } = await recycledObject(context, reference, model);
    const purged = await purgeGroup(context, id, model);
    if (purged === 0) throw notInRecycleBin();
    return purged;
  });
}

/**
 * Purges the objects that the caller has recycled and may read and delete, at most 1,000 roots with their groups. Returns the number of purged
 * objects. Skips groups that cannot be purged; a refusal of the storage (718) ends the call. `allUsers` includes the objects of all users; 404 for callers other than administrators.
 */
export async function purgeAllRecycled(
  context: PurgeContext,
  { allUsers }: { readonly allUsers: boolean },
): Promise<number> {
  const { r, principal, unit } = context;
  if (allUsers) requireAdministrator(principal);
  const purge = (id: ObjectId) => withCurrentModel(context, (model) => purgeGroup(context, id, model));
  const visibility = deletable(context, await requestModel(context));
  let purged = 0;
  let [roots, after]: [number, RecycledRoot | null] = [0, null];
  while (roots < maxRoots) {
    const page: readonly RecycledRoot[] = await r.deletion.listRecycled({
      deletedBy: allUsers ? null : principal.userId,
      visibility,
      after,
      limit: maxRoots,
    });
    for (const root of page) {
      if (roots === maxRoots) return purged;
      const count = await unit.attempt(() => purge(root.id)).catch(zeroIfUnpurgeable);
      purged += count;
      if (count > 0) roots += 1;
      after = root;
    }
    if (page.length < maxRoots) return purged;
  }
  return purged;
}

/** The tombstone of a recycled object that the caller may delete. Errors: see `purgeRecycled`. */
export async function recycledObject(
  { r, principal }: SessionContext,
  reference: SingleReference,
  model: Model,
): Promise<Tombstone> {
  const visibility = visibilityOf(principal, model);
  const tombstone = await r.deletion.find(reference, visibility);
  const { className } = tombstone ?? (await visibleObject(r, reference, visibility, 609));
  const modelClass = model.find(className);
  if (modelClass === undefined) throw new ServiceError(304);
  if (!mayOnClass(principal, modelClass, "delete")) throw withoutRight("delete", modelClass);
  if (tombstone === null) throw notInRecycleBin();
  if (tombstone.kind === "deleted") throw new ServiceError(609);
  return tombstone;
}

export function notInRecycleBin(): ServiceError {
  return new ServiceError(307, { detail: "The object is not in the recycle bin." });
}

/** Visibility limited to the classes whose objects the caller may delete. */
function deletable({ principal }: SessionContext, model: Model): Visibility {
  const { classes, principals } = visibilityOf(principal, model);
  if (classes === null) return { classes, principals };
  const names = [...model.all()]
    .filter((modelClass) => mayOnClass(principal, modelClass, "delete"))
    .map(({ definition }) => definition.name);
  return { classes: new Set(names.filter((name) => classes.has(name))), principals };
}

/** A group that cannot be purged does not stop the others. A storage that refuses a call does: its disk may be full. */
function zeroIfUnpurgeable(error: unknown): number {
  const isOfGroup = error instanceof ServiceError && (error.code === 404 || error.code === 718);
  if (!isOfGroup || isRefusedByStorage(error)) throw error;
  return 0;
}

/** Number of purged objects; 0 if the object is no longer in the recycle bin. */
function purgeGroup(
  { unit, principal, database, services, sessionDigest: session }: PurgeContext,
  id: ObjectId,
  model: Model,
): Promise<number> {
  const purging = unit.transaction(async (inside) => {
    const { deletion } = inside;
    const group = await deletion.recycledWith(id, { modelGeneration: model.generation });
    if (group.length === 0) return 0;
    requireRightsOnUsers(group, { model, principal });
    const ids = group.map((object) => object.id);
    const linksToClear = await linksTo(ids, {
      deletion,
      model,
      visibleModel: model.as(principal),
      visibility: visibilityOf(principal, model),
      session,
    });
    await clearLinks(inside, linksToClear, { model, database, guard: services.userGuard });
    await deletion.purge(ids);
    return ids.length;
  });
  return refusedAs(718, purging);
}

interface Purge extends CallerKnowledge {
  readonly deletion: Pick<DeletionRepository, "lock" | "referrers">;
  readonly model: Model;
  readonly session: Digest;
}

/** The links to these objects. Reads them again until this transaction has locked the rows of all sources. */
async function linksTo(
  ids: readonly ObjectId[],
  { deletion, model, session, ...knowledge }: Purge,
): Promise<readonly Referrer[]> {
  const held = new Set<ObjectId>();
  return untilDone(async () => {
    const links = await deletion.referrers(ids, { attributes: null, limit: maximum + 1 });
    if (links.length > maximum)
      throw refused(`The object has more than ${maximum} references. Remove some of them first.`);
    const strict = links.find((link) => ruleOf(link, { model }) !== "clear");
    if (strict !== undefined) throw refused(referrerDetail(strict, knowledge));
    const missing = [...new Set(links.map(({ id }) => id))].filter((id) => !held.has(id));
    if (missing.length === 0) return links;
    for (const { lockedBy } of await deletion.lock(missing)) {
      if (lockedBy !== null && lockedBy !== session)
        throw refused("Another session has locked an object that references this one.");
    }
    for (const id of missing) held.add(id);
    return undefined;
  });
}
