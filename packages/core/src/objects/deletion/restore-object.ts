import {
  type Attributes,
  type Digests,
  isVisible,
  type ObjectId,
  refusedAs,
  type Repositories,
  type Restoration,
  type SingleReference,
  type StoredObject,
} from "@sallyport/storage";
import { type Model, visibilityOf } from "../../model/index.ts";
import { inTransaction, type SessionContext, withCurrentModel } from "../../request/index.ts";
import type { FoundObject } from "../get-object.ts";
import { hookedSource } from "../hooks/answer-hooks.ts";
import { type HookedSave, hooksOfSaves, type SaveHooks } from "../hooks/save-hooks.ts";
import { planSerialization } from "../serialization/object-plan.ts";
import { serializeWritten } from "../serialization/object-serializer.ts";
import type { ResolvedAttributes } from "../attributes/resolve-links.ts";
import type { ReadScope } from "../serialization/serialization-source.ts";
import type { Serialization } from "../serialization/serialization.ts";
import { isUserClass, UserNames } from "../user-names.ts";
import type { CallerKnowledge } from "./deletion-cascade.ts";
import { notInRecycleBin, recycledObject } from "./purge-recycled.ts";
import { acceptRestore } from "./plan-restore.ts";
import type { ObjectContext } from "../hooks/active-hooks.ts";

/**
 * Restores a recycled object with all objects recycled with it. 304: the object never existed or is invisible. 609:
 * permanently deleted. 404: no right to delete. 307: not in the recycle bin, an object of the group does not fit its
 * current class, or a user name now looks like another one. 713: the storage refuses the write. The group then stays in the
 * recycle bin.
 */
export function restoreObject(
  context: ObjectContext,
  reference: SingleReference,
  serialization?: Serialization,
): Promise<FoundObject> {
  const { principal } = context;
  return withCurrentModel(context, async (model) => {
    const visibleModel = model.as(principal);
    const visibility = visibilityOf(principal, model);
    const { id, className } = await recycledObject(context, reference, model);
    const plan = planSerialization(serialization, { model: visibleModel, visibility, className });
    // The check needs all attributes. Hooks and the answer see those of the caller.
    const whole = { model, visibleModel, visibility };
    const readScope = { model: visibleModel, visibility };
    const names = Array.from(model.all(), ({ definition }) => definition.name);
    const hooks = await hooksOfSaves(context, names, readScope);
    const restored = await refusedAs(
      713,
      hooks === null ? restore(context, id, whole) : restoreWithHooks(hooks, context, id, whole),
    );
    // A concurrent request has restored or purged it.
    if (restored.length === 0) throw notInRecycleBin();
    const root = restored.find((object) => object.id === id) as StoredObject;
    const object = await serializeWritten(hookedSource(context, readScope), plan, root);
    return { object, version: root.version };
  });
}

function restore(
  { unit, database: { digests } }: SessionContext,
  id: ObjectId,
  { model, visibleModel, visibility }: ReadScope & CallerKnowledge,
): Promise<readonly StoredObject[]> {
  return unit.transaction(async (inside) => {
    const { deletion } = inside;
    const group = await deletion.recycledWith(id, { modelGeneration: model.generation });
    const restorations = await acceptRestore(group, { deletion, model, visibleModel, visibility });
    return restoreAll(inside, restorations, { model, digests });
  });
}

interface PlannedRestore {
  readonly object: StoredObject;
  readonly restoration: Restoration;
}

/** Restores objects and runs hooks in one transaction. For hooks, each visible object is a save. */
function restoreWithHooks(
  hooks: SaveHooks,
  context: ObjectContext,
  id: ObjectId,
  { model, visibleModel, visibility }: ReadScope & CallerKnowledge,
): Promise<readonly StoredObject[]> {
  return hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { deletion } = inside.r;
      const planRestores = async (): Promise<readonly PlannedRestore[]> => {
        const group = await deletion.recycledWith(id, { modelGeneration: model.generation });
        const restorations = await acceptRestore(group, { deletion, model, visibleModel, visibility });
        return group.map((object, index) => ({ object, restoration: restorations[index] as Restoration }));
      };
      const saves = new Map(
        (await planRestores())
          .filter(({ object }) => isVisible(object, visibility))
          .map((each) => [each.object.id, saveOf(each)]),
      );
      const prepared = await hooks.before(inside, [...saves.values()]);
      const changes = new Map([...saves.keys()].map((each, index) => [each, prepared[index]]));
      // Plan again: hooks may have deleted link targets.
      const now = (await planRestores()).map(({ restoration: { id: each, attributes, links } }): Restoration => {
        const changed = changes.get(each);
        return {
          id: each,
          attributes: { ...attributes, ...setBy(changed, saves.get(each)) },
          links: { ...links, ...changed?.links },
        };
      });
      const restored = await restoreAll(inside.r, now, { model, digests: inside.database.digests });
      const hookedObjects = restored.filter((object) => saves.has(object.id));
      const hookedSaves = hookedObjects.map((object) => saves.get(object.id) as HookedSave);
      await hooks.after(inside, hookedSaves, hookedObjects);
      return restored;
    }),
  );
}

function saveOf({ object, restoration: { attributes } }: PlannedRestore): HookedSave {
  return {
    className: object.className,
    base: object,
    restoring: true,
    input: {},
    prepared: { attributes, links: {}, targets: [] },
  };
}

/** Attributes set by hooks and not by the restoration. */
function setBy(changed: ResolvedAttributes | undefined, save: HookedSave | undefined): Attributes {
  return Object.fromEntries(
    Object.entries(changed?.attributes ?? {}).filter(([name, value]) => save?.prepared.attributes[name] !== value),
  );
}

/** Restores objects in the transaction that locked them, and reserves user names again. 307 if a name now looks like another one. */
async function restoreAll(
  { deletion, records }: Pick<Repositories, "deletion" | "records">,
  restorations: readonly Restoration[],
  { model, digests }: { readonly model: Model; readonly digests: Digests },
): Promise<readonly StoredObject[]> {
  const restored = await deletion.restore(restorations);
  const names = new UserNames(records, digests);
  for (const { id, className, attributes } of restored) {
    const { Name: name } = attributes;
    if (isUserClass(model, className) && typeof name === "string") await names.rename(id, name);
  }
  return restored;
}
