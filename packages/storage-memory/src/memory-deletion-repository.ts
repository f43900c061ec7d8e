import {
  type DeleteOptions,
  type DeletionRepository,
  isObjectId,
  isVisible,
  type JsonValue,
  type LinkTarget,
  type ObjectId,
  objectNumber,
  type RecycledRoot,
  type Referrer,
  type Restoration,
  type StoredObject,
  type Tombstone,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import { type TombstoneRecord, kindOf } from "./records.ts";
import { frozenCopy } from "./table.ts";
import { keepObject, outlineOf } from "./stored-objects.ts";
import { keepFormerReaders } from "./memory-change-repository.ts";
import { liveLock } from "./memory-lock-repository.ts";
import { type State, writeStamp } from "./state.ts";
import { acceptModel } from "./write-objects.ts";

/** Transactions are sequential, so no locks are necessary. */
export const memoryDeletionRepository = (access: Access): DeletionRepository => ({
  lock: (ids, by = {}) =>
    access.read((state, now) => {
      acceptModel(state, { ...by, session: null });
      return numbersOf(ids).flatMap((number) => {
        const object = state.objects.get(number);
        return object === undefined
          ? []
          : [{ object: outlineOf(object), lockedBy: liveLock(state, number, now)?.session ?? null }];
      });
    }),

  referrers(ids, { attributes, limit }) {
    const targets = new Set(ids);
    const wanted = attributes === null ? null : new Set(attributes.map(nameOf));
    return access.read((state) =>
      [...linksTo(state, targets)].filter((link) => wanted === null || wanted.has(nameOf(link))).slice(0, limit),
    );
  },

  clear: (links) =>
    access.write((state, now) => {
      for (const id of new Set(links.map((link) => link.id))) clearOne(state, id, links, now);
    }),

  delete: (ids, how) =>
    access.write((state, now) => {
      if (isFull(state, ids, how)) return "full";
      for (const number of numbersOf(ids)) deleteOne(state, number, how, now);
      return "deleted";
    }),

  find: (reference, visibility) =>
    access.read(({ tombstones, uuids }) => {
      const number = reference.kind === "uuid" ? uuids.get(reference.uuid.toLowerCase()) : numbersOf([reference.id])[0];
      const record = number === undefined ? undefined : tombstones.get(number);
      return record !== undefined && isVisible(record.object, visibility) ? tombstoneOf(record) : null;
    }),

  recycledWith: (id, by = {}) =>
    access.read((state) => {
      acceptModel(state, { ...by, session: null });
      const root = numbersOf([id]).flatMap((number) => state.tombstones.get(number)?.root ?? [])[0];
      const group = [...state.tombstones.values()].filter(
        (record) => record.root === root && kindOf(record) === "recycled",
      );
      const objects = group.map(({ object }) => object as StoredObject);
      if (!objects.some((object) => object.id === id)) return [];
      return objects.toSorted((one, other) => objectNumber(one.id) - objectNumber(other.id));
    }),

  targets: (ids) => access.read((state) => numbersOf(ids).flatMap((number) => targetOf(state, number) ?? [])),

  listRecycled: ({ deletedBy, visibility, after, limit }) =>
    access.read(({ tombstones }) => {
      const roots = [...tombstones.values()].filter(
        (record) => kindOf(record) === "recycled" && record.root === record.object.id,
      );
      return roots
        .filter(
          (record) => (deletedBy === null || record.deletedBy === deletedBy) && isVisible(record.object, visibility),
        )
        .map(rootOf)
        .toSorted(newestFirst)
        .filter((root) => after === null || newestFirst(after, root) < 0)
        .slice(0, limit);
    }),

  purge: (ids) =>
    access.write((state, now) => {
      for (const number of numbersOf(ids)) purgeOne(state, number, now);
    }),

  restore(objects) {
    const copies = frozenCopy(objects);
    return access.write((state, now) => copies.map((object) => restoreOne(state, object, now)));
  },

  sweep: (age, limit) =>
    access.write((state, now) => {
      const tombstones = sweepTombstones(state, now - age, limit);
      return tombstones + sweepFormerReaders(state, now - age, limit - tombstones);
    }),
});

/** The numbers of the valid ids, ascending, without duplicates. */
function numbersOf(ids: readonly ObjectId[]): number[] {
  return [...new Set(ids.filter(isObjectId).map(objectNumber))].toSorted((one, other) => one - other);
}

function nameOf({ className, attribute }: Pick<Referrer, "className" | "attribute">): string {
  return JSON.stringify([className, attribute]);
}

function* linksTo({ objects, links }: State, targets: ReadonlySet<ObjectId>): Generator<Referrer> {
  for (const [number, linked] of links.entries()) {
    const source = objects.get(number);
    if (source === undefined || targets.has(source.id)) continue;
    for (const [attribute, ids] of Object.entries(linked)) {
      for (const target of new Set(ids))
        if (targets.has(target)) yield { id: source.id, className: source.className, attribute, target };
    }
  }
}

function clearOne(state: State, id: ObjectId, links: readonly Referrer[], storedAt: number): void {
  const object = state.objects.get(objectNumber(id));
  if (object === undefined) return;
  const linked = { ...state.links.get(objectNumber(id)) };
  const attributes: Record<string, JsonValue> = { ...object.attributes };
  for (const { attribute, target } of links.filter((link) => link.id === id)) {
    const value = attributes[attribute] ?? null;
    attributes[attribute] = Array.isArray(value)
      ? value.filter((member) => member !== target)
      : value === target
        ? null
        : value;
    linked[attribute] = (linked[attribute] ?? []).filter((each) => each !== target);
  }
  keepObject(state, frozenCopy({ ...object, attributes, version: object.version + 1, storedAt }));
  state.links.set(objectNumber(id), frozenCopy(linked));
}

/** Whether the user would exceed the quota of the recycle bin. */
function isFull(
  { objects, tombstones }: State,
  ids: readonly ObjectId[],
  { recycled, deletedBy = null, quota = 0 }: DeleteOptions,
): boolean {
  if (!recycled || deletedBy === null || quota === 0) return false;
  const before = [...tombstones.values()].filter(
    (record) => kindOf(record) === "recycled" && record.deletedBy === deletedBy,
  ).length;
  return before + numbersOf(ids).filter((number) => objects.has(number)).length > quota;
}

function newestFirst(
  one: Pick<RecycledRoot, "id" | "deletedAt">,
  other: Pick<RecycledRoot, "id" | "deletedAt">,
): number {
  return other.deletedAt - one.deletedAt || objectNumber(other.id) - objectNumber(one.id);
}

function rootOf(record: TombstoneRecord): RecycledRoot {
  const { kind: _kind, ...root } = tombstoneOf(record);
  return root;
}

function purgeOne(state: State, number: number, storedAt: number): void {
  const record = state.tombstones.get(number);
  if (record === undefined || kindOf(record) === "deleted") return;
  const { attributes: _, ...object } = record.object;
  state.tombstones.set(
    number,
    Object.freeze({
      object: Object.freeze({ ...object, version: object.version + 1, storedAt }),
      root: record.root,
      deletedBy: record.deletedBy,
    }),
  );
  state.stamps.set(number, writeStamp(state));
}

function deleteOne(
  state: State,
  number: number,
  { recycled, root, deletedBy = null }: DeleteOptions,
  storedAt: number,
): void {
  const object = state.objects.get(number);
  if (object === undefined) return;
  const { attributes, ...rest } = { ...object, version: object.version + 1, storedAt };
  state.objects.delete(number);
  state.links.delete(number);
  state.locks.delete(number);
  state.tombstones.set(
    number,
    Object.freeze({
      object: Object.freeze(recycled ? { ...rest, attributes } : rest),
      root,
      deletedBy,
    }),
  );
  state.stamps.set(number, writeStamp(state));
}

function tombstoneOf(record: TombstoneRecord): Tombstone {
  const { id, uuid, className, version, storedAt } = record.object;
  return { id, uuid, className, version, deletedAt: storedAt, kind: kindOf(record), deletedBy: record.deletedBy };
}

function targetOf({ objects, tombstones }: State, number: number): LinkTarget | undefined {
  const live = objects.get(number);
  if (live !== undefined) return { id: live.id, className: live.className, exists: true };
  const tombstone = tombstones.get(number);
  return tombstone === undefined
    ? undefined
    : { id: tombstone.object.id, className: tombstone.object.className, exists: kindOf(tombstone) === "recycled" };
}

function restoreOne(state: State, { id, attributes, links }: Restoration, storedAt: number): StoredObject {
  const number = objectNumber(id);
  const { object } = state.tombstones.get(number) as { object: StoredObject };
  const restored = frozenCopy({
    ...object,
    attributes: { ...object.attributes, ...attributes },
    version: object.version + 1,
    storedAt,
  });
  keepFormerReaders(state, object, storedAt);
  state.tombstones.delete(number);
  state.createdStamps.delete(number);
  state.links.set(number, links);
  keepObject(state, restored);
  return restored;
}

/** Forgets permanently deleted objects. Returns their number. Their UUIDs stay known. */
function sweepTombstones(state: State, until: number, limit: number): number {
  const { formerReaders, stamps, tombstones } = state;
  const over = [...tombstones.entries()]
    .filter(([, record]) => kindOf(record) === "deleted" && record.object.storedAt <= until)
    .toSorted(([number, one], [another, other]) => one.object.storedAt - other.object.storedAt || number - another)
    .slice(0, limit);
  for (const [number] of over) {
    const entries = formerReaders.get(number) ?? [];
    raiseSweptStamp(state, [stamps.get(number) ?? 0, ...entries.map(({ stamp }) => stamp)]);
    for (const table of [formerReaders, stamps, tombstones]) table.delete(number);
  }
  return over.length;
}

function sweepFormerReaders(state: State, until: number, limit: number): number {
  const all = [...state.formerReaders.entries()].flatMap(([number, entries]) =>
    entries.map((entry) => ({ ...entry, number })),
  );
  const over = all
    .filter(({ changedAt }) => changedAt <= until)
    .toSorted((one, other) => one.changedAt - other.changedAt || one.stamp - other.stamp || one.number - other.number)
    .slice(0, Math.max(limit, 0));
  raiseSweptStamp(
    state,
    over.map(({ stamp }) => stamp),
  );
  for (const { number, stamp } of over) {
    const left = (state.formerReaders.get(number) ?? []).filter((entry) => entry.stamp !== stamp);
    if (left.length === 0) state.formerReaders.delete(number);
    else state.formerReaders.set(number, Object.freeze(left));
  }
  return over.length;
}

function raiseSweptStamp({ numbers }: State, stamps: readonly number[]): void {
  numbers.set("sweptStamp", Math.max(numbers.get("sweptStamp") ?? 0, ...stamps));
}
