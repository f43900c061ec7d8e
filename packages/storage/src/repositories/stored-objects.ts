import { type ObjectId, objectNumbers } from "../entities/object-id.ts";
import { jsonBytes } from "../entities/size-limits.ts";
import type { ObjectOutline, StoredObject } from "../entities/stored-object.ts";
import type { RowReader } from "../kernel/rows.ts";
import { objectTable } from "./tables.ts";

/** The valid ids, as keys of a table, each once, in ascending order. */
export function keysOf(ids: readonly ObjectId[]): [number][] {
  return objectNumbers(ids).map((number) => [number]);
}

/** The live objects with these ids, each once, by ascending number. */
export async function storedObjects(rows: RowReader, ids: readonly ObjectId[]): Promise<StoredObject[]> {
  return (await rows.getAll(objectTable, keysOf(ids))).map(({ object }) => object);
}

const sizes = new WeakMap<object, number>();

/** The size of the attributes of an object. Cached, because attributes are immutable. */
export function objectBytes({ attributes }: Pick<StoredObject, "attributes">): number {
  const cached = sizes.get(attributes);
  if (cached !== undefined) return cached;
  const bytes = jsonBytes(attributes);
  sizes.set(attributes, bytes);
  return bytes;
}

export function outlineOf(object: StoredObject): ObjectOutline {
  const { id, uuid, className, version, storedAt } = object;
  return { id, uuid, className, version, storedAt, bytes: objectBytes(object) };
}
