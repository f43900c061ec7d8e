import type { HookedSave } from "../hooks/hooked-save.ts";
import type { SaveHooks } from "../hooks/save-hooks.ts";
import type { ObjectId } from "../objects/object-id.ts";
import type { Sight } from "../objects/serialization-source.ts";
import type { Attributes, StoredObject } from "../objects/stored-object.ts";
import type { ResolvedAttributes } from "../objects/values/resolve-links.ts";
import { inTransaction } from "../request/in-transaction.ts";
import type { SessionContext } from "../request/request-context.ts";
import { isVisible } from "../rights/index.ts";
import { acceptReturn } from "./accept-return.ts";
import type { Knowledge } from "./referrer.ts";
import type { Restoration } from "./restoration.ts";
import { restoreThose } from "./restore-those.ts";

/** A recycled object, and how it comes back. */
interface Returning {
  readonly object: StoredObject;
  readonly restoration: Restoration;
}

/** Brings objects back with hooks, to which that is a save of each that the caller sees; in one transaction with what they do. */
export function restoreWithHooks(
  hooks: SaveHooks,
  context: SessionContext,
  id: ObjectId,
  { model, known, visibility }: Sight & Knowledge,
): Promise<readonly StoredObject[]> {
  return hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { departures } = inside.r;
      const returning = async (): Promise<readonly Returning[]> => {
        const group = await departures.recycledWith(id, { modelGeneration: model.generation });
        const restorations = await acceptReturn(group, { departures, model, known, visibility });
        return group.map((object, index) => ({ object, restoration: restorations[index] as Restoration }));
      };
      const saves = new Map(
        (await returning())
          .filter(({ object }) => isVisible(object, visibility))
          .map((each) => [each.object.id, saveOf(each)]),
      );
      const prepared = await hooks.before(inside, [...saves.values()]);
      const changes = new Map([...saves.keys()].map((each, index) => [each, prepared[index]]));
      // Asked again: hooks may have taken away what something would have pointed to.
      const now = (await returning()).map(({ restoration: { id: each, attributes, links } }): Restoration => {
        const changed = changes.get(each);
        return {
          id: each,
          attributes: { ...attributes, ...setBy(changed, saves.get(each)) },
          links: { ...links, ...changed?.links },
        };
      });
      const restored = await restoreThose(inside.r, now, { model, digests: inside.database.digests });
      const told = restored.filter((object) => saves.has(object.id));
      await hooks.after(
        inside,
        told.map((object) => saves.get(object.id) as HookedSave),
        told,
      );
      return restored;
    }),
  );
}

function saveOf({ object, restoration: { attributes } }: Returning): HookedSave {
  return {
    className: object.className,
    base: object,
    returning: true,
    given: {},
    prepared: { attributes, links: {}, targets: [] },
  };
}

/** What hooks have set, and the restoration had not. */
function setBy(changed: ResolvedAttributes | undefined, save: HookedSave | undefined): Attributes {
  return Object.fromEntries(
    Object.entries(changed?.attributes ?? {}).filter(([name, value]) => save?.prepared.attributes[name] !== value),
  );
}
