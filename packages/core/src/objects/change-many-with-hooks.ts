import { ServiceError } from "../errors/index.ts";
import { inTransaction, type SessionContext } from "../request/index.ts";
import type { ObjectOutline, ObjectRepository, StoredObject, Visibility, Writing } from "../storage/index.ts";
import { batches } from "./batches.ts";
import { hookFailure } from "./hooks/hook-caller.ts";
import type { AcceptChange, HookedSave, SaveHooks } from "./hooks/save-hooks.ts";
import type { ResolvedAttributes } from "./resolve-links.ts";
import type { GivenChange } from "./update-object.ts";

/** What hooks are told of at once. */
const atOnce = { items: 200, bytes: 1024 * 1024 };

/** Which objects are changed, and on whose behalf. */
export interface ManyToChange {
  readonly by: Writing;
  readonly visibility: Visibility;
  /** Refuses what cannot be set in objects of a class. */
  readonly accept: AcceptChange;
  /** Finds them, and holds them for the transaction. */
  readonly matches: (objects: ObjectRepository) => Promise<readonly ObjectOutline[]>;
}

/** Gives many objects the same attributes with hooks, which are told of them in batches, in one transaction with what they do. */
export function changeManyWithHooks(
  hooks: SaveHooks,
  context: SessionContext,
  { given, prepared, expectedVersions }: GivenChange & { readonly prepared: ResolvedAttributes },
  { by, visibility, accept, matches }: ManyToChange,
): Promise<{ readonly count: number }> {
  return hooks.prepared(context, (ready) =>
    inTransaction(ready, async (inside) => {
      const { objects } = inside.r;
      const matching = await matches(objects);
      for (const batch of batches(matching, ({ bytes }) => bytes, atOnce)) {
        const bases = await read(objects, batch, visibility);
        if (bases.some(({ version }) => expectedVersions?.includes(version) === false))
          throw new ServiceError(713, { detail: "An object has another version." });
        const saves = bases.map(
          (base): HookedSave => ({ className: base.className, base, returning: false, given, prepared }),
        );
        const changes = (await hooks.before(inside, saves, accept)).map(({ attributes, links }, index) => {
          return { id: (bases[index] as StoredObject).id, attributes, links, expectedVersions: null };
        });
        await hooks.after(inside, saves, await objects.update(changes, by));
      }
      return { count: matching.length };
    }),
  );
}

async function read(
  objects: ObjectRepository,
  batch: readonly ObjectOutline[],
  visibility: Visibility,
): Promise<readonly StoredObject[]> {
  const found = await objects.get(
    batch.map(({ id }) => id),
    visibility,
    Number.MAX_SAFE_INTEGER,
  );
  const byId = new Map(found.map((object) => [object.id, object]));
  return batch.map(({ id }) => {
    const object = byId.get(id);
    if (object === undefined) throw hookFailure("of a save", "has taken away an object that was to be changed.");
    return object;
  });
}
