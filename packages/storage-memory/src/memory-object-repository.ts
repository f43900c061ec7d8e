import {
  acceptChanges,
  acceptStorable,
  isObjectId,
  isVisible,
  type NewObject,
  type ObjectChange,
  type ObjectId,
  objectNumber,
  type ObjectPage,
  type ObjectQuery,
  type ObjectRepository,
  type Page,
  type StoredObject,
  type Visibility,
  type Writing,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { matchingObjects, pageOf } from "./query/found-objects.ts";
import { acceptModel, insertOne, updateOne } from "./write-objects.ts";

export class MemoryObjectRepository implements ObjectRepository {
  constructor(private readonly access: Access) {}

  get(ids: readonly ObjectId[], visibility: Visibility): Promise<StoredObject[]> {
    const numbers = new Set(ids.filter(isObjectId).map(objectNumber));
    return this.access.read(({ objects }) =>
      [...numbers].flatMap((number) => objects.get(number) ?? []).filter((object) => isVisible(object, visibility)),
    );
  }

  getByUuid(uuid: string, visibility: Visibility): Promise<StoredObject | null> {
    return this.access.read(({ objects, uuids }) => {
      const number = uuids.get(uuid.toLowerCase());
      const object = number === undefined ? undefined : objects.get(number);
      return object !== undefined && isVisible(object, visibility) ? object : null;
    });
  }

  async visible(ids: readonly ObjectId[], visibility: Visibility): Promise<ObjectId[]> {
    return (await this.get(ids, visibility)).map(({ id }) => id);
  }

  find(query: ObjectQuery, visibility: Visibility, page: Page): Promise<ObjectPage> {
    return this.access.read((state) => pageOf(state, query, visibility, page));
  }

  getByUuids(uuids: readonly string[], visibility: Visibility): Promise<StoredObject[]> {
    const wanted = new Set(uuids.map((uuid) => uuid.toLowerCase()));
    return this.access.read(({ objects, uuids: known }) =>
      [...wanted].flatMap((uuid) => objects.get(known.get(uuid) ?? 0) ?? []).filter((object) => isVisible(object, visibility)),
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
