import { objectNumber } from "../entities/object-id.ts";
import { isVisible } from "../entities/visibility.ts";
import type { Access } from "../kernel/access.ts";
import type { DeletionRepository, RecycledRoot, Referrer, Tombstone } from "../ports/deletion-repository.ts";
import { keysOf } from "./stored-objects.ts";
import { writeObjects } from "./row-writer.ts";
import { objectTable, type TombstoneRow, tombstoneTable, uuidTable } from "./tables.ts";
import { deletionWrites } from "./writes/deletion-writes.ts";

export const deletionRepository = (access: Access): DeletionRepository => ({
  ...deletionWrites(writeObjects(access)),

  referrers(ids, { attributes, limit }) {
    const targets = new Set(ids);
    const attributeNames = attributes === null ? null : new Set(attributes.map(nameOf));
    return access.read(async (rows) => {
      const referrers: Referrer[] = [];
      for (const [number] of keysOf(ids))
        for await (const { object, links } of rows.each(objectTable, { index: "byTarget", of: [number] })) {
          if (targets.has(object.id)) continue;
          for (const [attribute, linked] of Object.entries(links))
            for (const target of new Set(linked)) {
              const link = { id: object.id, className: object.className, attribute, target };
              if (objectNumber(target) !== number || attributeNames?.has(nameOf(link)) === false) continue;
              if (referrers.length >= limit) return referrers;
              referrers.push(link);
            }
        }
      return referrers;
    });
  },

  find: (reference, visibility) =>
    access.read(async (rows) => {
      const id = reference.kind === "id" ? reference.id : (await rows.get(uuidTable, reference.uuid.toLowerCase()))?.id;
      const [row] = id === undefined ? [] : await rows.getAll(tombstoneTable, keysOf([id]));
      return row !== undefined && isVisible(row.object, visibility) ? tombstoneOf(row) : null;
    }),

  listRecycled: ({ deletedBy, visibility, after, limit }) =>
    access.read(async (rows) => {
      const page = after === null ? {} : { to: [after.deletedAt, objectNumber(after.id)] };
      const roots: RecycledRoot[] = [];
      if (limit > 0)
        for await (const row of rows.each(tombstoneTable, { index: "byTime", ...page }, "descending")) {
          const isMeant = deletedBy === null || row.deletedBy === deletedBy;
          if (isMeant && isVisible(row.object, visibility) && roots.push(rootOf(row)) >= limit) break;
        }
      return roots;
    }),
});

function nameOf({ className, attribute }: Pick<Referrer, "className" | "attribute">): string {
  return JSON.stringify([className, attribute]);
}

function kindOf({ object }: TombstoneRow): Tombstone["kind"] {
  return object.attributes === undefined ? "deleted" : "recycled";
}

function tombstoneOf(row: TombstoneRow): Tombstone {
  const { id, uuid, className, version, storedAt } = row.object;
  return { id, uuid, className, version, deletedAt: storedAt, kind: kindOf(row), deletedBy: row.deletedBy };
}

function rootOf(row: TombstoneRow): RecycledRoot {
  const { kind: _kind, ...root } = tombstoneOf(row);
  return root;
}
