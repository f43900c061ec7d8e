import {
  acceptChanges,
  acceptStorable,
  defaultAnswerBytes,
  isObjectId,
  isVisible,
  type ObjectId,
  objectNumber,
  type ObjectRepository,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import { frozenCopy } from "./table.ts";
import { outlineOf, withinBytes } from "./stored-objects.ts";
import { matchingObjects, pageOf } from "./query/found-objects.ts";
import { kindOf } from "./records.ts";
import type { State } from "./state.ts";
import { acceptModel, insertOne, updateOne } from "./write-objects.ts";

export const memoryObjectRepository = (access: Access): ObjectRepository => ({
  get: (which, visibility, bytes = defaultAnswerBytes) =>
    access.read((state) => {
      const found =
        "uuids" in which ? objectsWithUuids(state, which.uuids, visibility) : objectsOf(state, which, visibility);
      const requested = "uuids" in which ? which.uuids : which;
      return withinBytes(found, requested.length === 1 ? Number.POSITIVE_INFINITY : bytes);
    }),

  outlines: (ids, visibility) => access.read((state) => objectsOf(state, ids, visibility).map(outlineOf)),

  find: (query, visibility, page, bytes = defaultAnswerBytes) =>
    access.read((state) => {
      const { objects, last } = pageOf(state, query, visibility, page);
      return { objects: withinBytes(objects, bytes), last };
    }),

  match({ classes, filter }, visibility, atMost) {
    const query = filter === undefined ? { classes } : { classes, filter };
    return access.read((state) =>
      pageOf(state, query, visibility, { offset: 0, limit: atMost }).objects.map(outlineOf),
    );
  },

  count: (query, visibility, atMost = Number.POSITIVE_INFINITY) =>
    access.read((state) => {
      if (query.recycled === true) return Math.min(countRecycled(state, query.classes, visibility), atMost);
      let count = 0;
      const found = matchingObjects(state, query, visibility);
      while (count < atMost && found.next().done !== true) count += 1;
      return count;
    }),

  async lock() {
    // Transactions are sequential, so no lock is necessary.
    await access.read(() => {});
  },

  async insert(objects, by) {
    for (const { className, attributes } of objects) acceptStorable([className, attributes]);
    const copies = frozenCopy(objects);
    return access.write((state, now) => {
      acceptModel(state, by);
      return copies.map((object) => insertOne(state, object, now));
    });
  },

  async update(changes, by) {
    acceptChanges(changes);
    const copies = frozenCopy(changes);
    return access.write((state, now) => {
      acceptModel(state, by);
      return copies.map((change) => updateOne(state, change, by, now));
    });
  },
});

/** The visible objects with these ids, without duplicates. */
function objectsOf({ objects }: State, ids: readonly ObjectId[], visibility: Visibility): StoredObject[] {
  const numbers = new Set(ids.filter(isObjectId).map(objectNumber));
  return [...numbers].flatMap((number) => objects.get(number) ?? []).filter((object) => isVisible(object, visibility));
}

function countRecycled({ tombstones }: State, classes: readonly string[], visibility: Visibility): number {
  const counted = new Set(classes);
  return [...tombstones.values()].filter(
    (record) =>
      kindOf(record) === "recycled" && counted.has(record.object.className) && isVisible(record.object, visibility),
  ).length;
}

function objectsWithUuids(
  { objects, uuids: known }: State,
  uuids: readonly string[],
  visibility: Visibility,
): StoredObject[] {
  const wanted = new Set(uuids.map((uuid) => uuid.toLowerCase()));
  const found = [...wanted].flatMap((uuid) => objects.get(known.get(uuid) ?? 0) ?? []);
  return found.filter((object) => isVisible(object, visibility));
}
