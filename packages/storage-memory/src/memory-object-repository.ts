import { randomUUID } from "node:crypto";
import {
  acceptStorable,
  isObjectId,
  isUuid,
  isVisible,
  type NewObject,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type ObjectRepository,
  type Page,
  ServiceError,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { nextNumber, type State } from "./state.ts";

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

  find(classes: readonly string[], visibility: Visibility, { offset, limit }: Page): Promise<StoredObject[]> {
    return this.access.read((state) => [...matching(state, classes, visibility)].slice(offset, offset + limit));
  }

  count(classes: readonly string[], visibility: Visibility): Promise<number> {
    return this.access.read((state) => [...matching(state, classes, visibility)].length);
  }

  async insert(objects: readonly NewObject[]): Promise<StoredObject[]> {
    for (const { className, attributes } of objects) acceptStorable([className, attributes]);
    const copies = frozenCopy(objects);
    return this.access.write((state, now) => copies.map((object) => insertOne(state, object, now)));
  }
}

function* matching({ objects }: State, classes: readonly string[], visibility: Visibility): Generator<StoredObject> {
  const wanted = new Set(classes);
  for (const object of objects.values()) {
    if (wanted.has(object.className) && isVisible(object, visibility)) yield object;
  }
}

function insertOne(state: State, { className, attributes, uuid, readers }: NewObject, storedAt: number): StoredObject {
  if (uuid !== undefined && !isUuid(uuid)) throw new ServiceError(307, { detail: "A UUID is malformed." });
  const key = (uuid ?? randomUUID()).toLowerCase();
  if (state.uuids.has(key)) throw new ServiceError(307, { detail: "A UUID is in use." });
  const number = nextNumber(state, "object");
  const id = objectIdOf(number);
  const stored = Object.freeze({ id, uuid: key, className, storedAt, version: 1, attributes, readers: readers ?? null });
  state.objects.set(number, stored);
  state.uuids.set(key, number);
  return stored;
}
