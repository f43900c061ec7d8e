import type { Digest } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { mayOnClass, type Model, visibilityOf } from "../../model/index.ts";
import { requestModel, type SessionContext, withCurrentModel } from "../../request/index.ts";
import {
  type Tombstone,
  type DeletionRepository,
  type ObjectId,
  type RecycledRoot,
  type Referrer,
  requireAdministrator,
  type SingleReference,
  type Visibility,
} from "../../storage/index.ts";
import { visibleObject } from "../get-object.ts";
import { guardUsers } from "./delete-object.ts";
import { type Knowledge, maximum, neededBy, refused, ruleOf } from "./deletion-cascade.ts";

/** Objects that one request purges, each with those that it took along. */
const mostRoots = 1_000;

/** Deletes recycled objects for good, each with what was recycled with it, and clears references to them. */
export class PurgeRecycled {
  /**
   * Purges one object and all that was recycled with it; how many that were. One that never existed or that the caller may not see: 304; one that was
   * deleted for good: 609; without the right to delete, and users for callers who are not administrators: 404; one that is not in the recycle bin: 307;
   * one that a live object needs, or to which one points that another session has locked: 718.
   */
  purgeRecycled(context: SessionContext, reference: SingleReference): Promise<number> {
    return withCurrentModel(context, async (model) => {
      const { id } = await recycledObject(context, reference, model);
      const purged = await purgeGroup(context, id, model);
      if (purged === 0) throw isThere();
      return purged;
    });
  }

  /**
   * Purges what the caller has recycled and may read and delete, at most 1,000 objects with those that they took along; how many objects were
   * purged. What cannot be purged alone stays. `everybody`: what all users have recycled; 404 for callers who are not administrators.
   */
  async purgeAllRecycled(context: SessionContext, { everybody }: { readonly everybody: boolean }): Promise<number> {
    const { r, principal, unit } = context;
    if (everybody) requireAdministrator(principal);
    const purge = (id: ObjectId) => withCurrentModel(context, (model) => purgeGroup(context, id, model));
    const visibility = deletable(context, await requestModel(context));
    let purged = 0;
    let [roots, after]: [number, RecycledRoot | null] = [0, null];
    while (roots < mostRoots) {
      const page: readonly RecycledRoot[] = await r.deletion.listRecycled({
        deletedBy: everybody ? null : principal.userId,
        visibility,
        after,
        limit: mostRoots,
      });
      for (const { id } of page.slice(0, mostRoots - roots)) {
        const count = await unit.attempt(() => purge(id)).catch(noneIfRefused);
        purged += count;
        if (count > 0) roots += 1;
      }
      if (page.length < mostRoots) break;
      after = page.at(-1) ?? null;
    }
    return purged;
  }
}

/** What is left of a recycled object, for callers who may delete it. Refusals: see `PurgeRecycled.run`. */
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
  if (!mayOnClass(principal, modelClass, "delete")) throw new ServiceError(404);
  if (tombstone === null) throw isThere();
  if (tombstone.kind === "deleted") throw new ServiceError(609);
  return tombstone;
}

export function isThere(): ServiceError {
  return new ServiceError(307, { detail: "The object is not in the recycler." });
}

/** Of what the caller sees, the classes whose objects the caller may delete. */
function deletable({ principal }: SessionContext, model: Model): Visibility {
  const { classes, principals } = visibilityOf(principal, model);
  if (classes === null) return { classes, principals };
  const names = [...model.all()]
    .filter((modelClass) => mayOnClass(principal, modelClass, "delete"))
    .map(({ definition }) => definition.name);
  return { classes: new Set(names.filter((name) => classes.has(name))), principals };
}

/** What one group cannot be purged for, keeps no other one. */
function noneIfRefused(error: unknown): number {
  if (error instanceof ServiceError && (error.code === 404 || error.code === 718)) return 0;
  throw error;
}

/** How many objects were purged; 0 if the object is not in the recycle bin any more. */
function purgeGroup(
  { unit, principal, sessionDigest: session }: SessionContext,
  id: ObjectId,
  model: Model,
): Promise<number> {
  return unit.transaction(async ({ deletion }) => {
    const group = await deletion.recycledWith(id, { modelGeneration: model.generation });
    if (group.length === 0) return 0;
    guardUsers(group, { model, principal });
    const ids = group.map((object) => object.id);
    const losing = await linksTo(ids, {
      deletion,
      model,
      known: model.as(principal),
      visibility: visibilityOf(principal, model),
      session,
    });
    if (losing.length > 0) await deletion.clear(losing);
    await deletion.purge(ids);
    return ids.length;
  });
}

interface Purge extends Knowledge {
  readonly deletion: Pick<DeletionRepository, "lock" | "referrers">;
  readonly model: Model;
  readonly session: Digest;
}

async function linksTo(
  ids: readonly ObjectId[],
  { deletion, model, session, ...knowledge }: Purge,
): Promise<readonly Referrer[]> {
  const held = new Set<ObjectId>();
  for (;;) {
    const links = await deletion.referrers(ids, { attributes: null, limit: maximum + 1 });
    if (links.length > maximum)
      throw refused(`More than ${maximum} references lead to it: let them lead elsewhere, in parts before.`);
    const strict = links.find((link) => ruleOf(link, { model }) !== "clear");
    if (strict !== undefined) throw refused(neededBy(strict, knowledge));
    const missing = [...new Set(links.map(({ id }) => id))].filter((id) => !held.has(id));
    if (missing.length === 0) return links;
    for (const { lockedBy } of await deletion.lock(missing)) {
      if (lockedBy !== null && lockedBy !== session)
        throw refused("Another session has locked an object that points to it.");
    }
    for (const id of missing) held.add(id);
  }
}
