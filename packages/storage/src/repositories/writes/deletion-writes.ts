import type { JsonValue, StoredObject } from "../../entities/stored-object.ts";
import type { DeleteOptions, DeletionRepository, Referrer, Restoration } from "../../ports/deletion-repository.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { keepReaders, nextVersion, type ObjectWriter, type ReadObject, type WriteObjects } from "./object-writer.ts";

type DeletionWrites = Omit<DeletionRepository, "find" | "referrers" | "listRecycled">;

/** Deletions and restorations over the statements of an adapter. The transaction excludes other writers, so it locks no objects. */
export const deletionWrites = <Read extends ReadObject>(write: WriteObjects<Read>): DeletionWrites => ({
  lock: (ids, by) =>
    write(async (writer) => {
      const lockedBy = await writer.lockedBy(ids);
      const objects = await writer.outlines(ids);
      return objects.map((object) => ({ object, lockedBy: lockedBy.get(object.id) ?? null }));
    }, by),

  clear: (links) =>
    write(async (writer) => {
      const rows = await writer.objects(links.map(({ id }) => id));
      const changed = rows.map((before) => ({
        before,
        object: withoutTargets(before.object, links, writer.now),
        links: {},
      }));
      await writer.replace(changed);
      await writer.unlink(links);
    }),

  delete: (ids, how) =>
    write(async (writer) => {
      const rows = await writer.objects(ids);
      if (await isOverQuota(writer, rows.length, how)) return "full";
      if (rows.length > 0)
        await writer.bury(
          rows.map((before) => ({ before, object: nextVersion(before.object, writer.now) })),
          how,
        );
      return "deleted";
    }),

  recycledWith: (id, by) => write(async (writer) => (await writer.recycledWith(id)).map(({ object }) => object), by),

  targets: (ids) =>
    write(async (writer) =>
      (await writer.states(ids)).map(({ id, className, state }) => ({ id, className, exists: state !== "deleted" })),
    ),

  purge: (ids) => write((writer) => writer.purge(ids)),

  restore(objects) {
    const copies = frozenCopy(objects);
    return write(async (writer) => {
      const recycled = await writer.recycled(copies.map(({ id }) => id));
      await keepReaders(writer, recycled);
      const byId = new Map(recycled.map(({ object }) => [object.id, object]));
      const restored = copies.flatMap((copy) => restoredObject(copy, byId.get(copy.id), writer.now));
      if (restored.length > 0) await writer.add(restored, { restored: true });
      return restored.map(({ object }) => object);
    });
  },

  sweep: (age, limit) => write((writer) => writer.sweep(writer.now - age, limit)),
});

/** The object without the targets of its links: a reference becomes null, a collection keeps the others in order. */
function withoutTargets(object: StoredObject, links: readonly Referrer[], now: number): StoredObject {
  const attributes = new Map<string, JsonValue>(Object.entries(object.attributes));
  for (const { attribute, target } of links.filter(({ id }) => id === object.id)) {
    const value = attributes.get(attribute) ?? null;
    if (Array.isArray(value))
      attributes.set(
        attribute,
        value.filter((member) => member !== target),
      );
    else attributes.set(attribute, value === target ? null : value);
  }
  return nextVersion(object, now, { attributes: frozenCopy(Object.fromEntries(attributes)) });
}

/** Whether the user would exceed the quota of the recycle bin. */
async function isOverQuota<Read extends ReadObject>(
  writer: ObjectWriter<Read>,
  added: number,
  { recycled, deletedBy = null, quota = 0 }: DeleteOptions,
): Promise<boolean> {
  if (!recycled || deletedBy === null || quota === 0) return false;
  return (await writer.countRecycledBy(deletedBy)) + added > quota;
}

function restoredObject({ attributes, links }: Restoration, object: StoredObject | undefined, now: number) {
  if (object === undefined) return [];
  const whole = Object.freeze({ ...object.attributes, ...attributes });
  return [{ object: nextVersion(object, now, { attributes: whole }), links }];
}
