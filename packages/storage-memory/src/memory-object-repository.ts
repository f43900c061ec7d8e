import {
  acceptChanges,
  acceptStorable,
  defaultAnswerBytes,
  isObjectId,
  isVisible,
  type NewObject,
  type ObjectChange,
  type ObjectId,
  type ObjectKeys,
  objectNumber,
  type ObjectOutline,
  type ObjectPage,
  type ObjectQuery,
  type ObjectRepository,
  type Page,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./table.ts";
import { outlineOf, withinBytes } from "./stored-objects.ts";
import { matchingObjects, pageOf } from "./query/found-objects.ts";
import type { State } from "./state.ts";
import { acceptModel, insertOne, updateOne } from "./write-objects.ts";

export class MemoryObjectRepository implements ObjectRepository {
  constructor(private readonly access: Access) {}

  get(which: ObjectKeys, visibility: Visibility, bytes = defaultAnswerBytes): Promise<StoredObject[]> {
    return this.access.read((state) => {
      const found =
        "uuids" in which ? objectsWithUuids(state, which.uuids, visibility) : objectsOf(state, which, visibility);
      const asked = "uuids" in which ? which.uuids : which;
      return withinBytes(found, asked.length === 1 ? Number.POSITIVE_INFINITY : bytes);
    });
  }

  outlines(ids: readonly ObjectId[], visibility: Visibility): Promise<ObjectOutline[]> {
    return this.access.read((state) => objectsOf(state, ids, visibility).map(outlineOf));
  }

  find(query: ObjectQuery, visibility: Visibility, page: Page, bytes = defaultAnswerBytes): Promise<ObjectPage> {
    return this.access.read((state) => {
      const { objects, last } = pageOf(state, query, visibility, page);
      return { objects: withinBytes(objects, bytes), last };
    });
  }

  match({ classes, filter }: ObjectQuery, visibility: Visibility, atMost: number): Promise<ObjectOutline[]> {
    const query = filter === undefined ? { classes } : { classes, filter };
    return this.access.read((state) =>
      pageOf(state, query, visibility, { offset: 0, limit: atMost }).objects.map(outlineOf),
    );
  }

  count(query: ObjectQuery, visibility: Visibility, atMost = Number.POSITIVE_INFINITY): Promise<number> {
    return this.access.read((state) => {
      let count = 0;
      const found = matchingObjects(state, query, visibility);
      while (count < atMost && found.next().done !== true) count += 1;
      return count;
    });
  }

  async hold(): Promise<void> {
    // Transactions take turns: nobody else is there.
    await this.access.read(() => {});
  }

  async insert(objects: readonly NewObject[], by?: Writing): Promise<StoredObject[]> {
    for (const { className, attributes } of objects) acceptStorable([className, attributes]);
    const copies = frozenCopy(objects);
    return this.access.write((state, now) => {
      acceptModel(state, by);
      return copies.map((object) => insertOne(state, object, now));
    });
  }

  async update(changes: readonly ObjectChange[], by: Writing): Promise<StoredObject[]> {
    acceptChanges(changes);
    const copies = frozenCopy(changes);
    return this.access.write((state, now) => {
      acceptModel(state, by);
      return copies.map((change) => updateOne(state, change, by, now));
    });
  }
}

/** The visible ones among the objects with these ids, each once. */
function objectsOf({ objects }: State, ids: readonly ObjectId[], visibility: Visibility): StoredObject[] {
  const numbers = new Set(ids.filter(isObjectId).map(objectNumber));
  return [...numbers].flatMap((number) => objects.get(number) ?? []).filter((object) => isVisible(object, visibility));
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
