import { isObjectId, isUuid, type ObjectId, objectIdOf, objectNumber } from "../entities/object-id.ts";
import { acceptObjectSize, AnswerTooLargeError, defaultAnswerBytes, jsonBytes } from "../entities/size-limits.ts";
import {
  acceptChanges,
  type Attributes,
  idsOf,
  type Links,
  type NewObject,
  type ObjectChange,
  type ObjectOutline,
  type StoredObject,
  UuidTakenError,
  type Writing,
} from "../entities/stored-object.ts";
import { isVisible, seesAll, type Visibility } from "../entities/visibility.ts";
import { ServiceError } from "../errors/index.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows } from "../kernel/rows.ts";
import { OutdatedModelError } from "../ports/model-repository.ts";
import type { ObjectKeys, ObjectRepository } from "../ports/object-repository.ts";
import { acceptStorable } from "../ports/storable-text.ts";
import { keepFormerReaders } from "./changes.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { liveLock } from "./locks.ts";
import { currentNumber, newNumbers } from "./numbers.ts";
import { countMatches, findPage } from "./query/find.ts";
import { keepValues } from "./query/value-indexes.ts";
import { type ObjectRow, objectTable, tombstoneTable, uuidTable } from "./tables.ts";

/** Of the Web Crypto API, which browsers and Node have. */
declare const crypto: { readonly randomUUID: () => string };

export const objectRepository = (access: Access): ObjectRepository => ({
  get: (which, visibility, bytes = defaultAnswerBytes) =>
    access.read(async (rows) => {
      const requested = "uuids" in which ? which.uuids : which;
      const found = await visibleObjects(rows, which, visibility);
      return withinBytes(found, requested.length === 1 ? Number.POSITIVE_INFINITY : bytes);
    }),

  outlines: (ids, visibility) =>
    access.read(async (rows) => (await visibleObjects(rows, ids, visibility)).map(outlineOf)),

  find: (query, visibility, page, bytes = defaultAnswerBytes) =>
    access.read(async (rows) => {
      const { objects, last } = await findPage(rows, query, visibility, page);
      return { objects: withinBytes(objects, bytes), last };
    }),

  match({ classes, filter }, visibility, atMost) {
    const query = filter === undefined ? { classes } : { classes, filter };
    return access.read(async (rows) => {
      const { objects } = await findPage(rows, query, visibility, { offset: 0, limit: atMost });
      return objects.map(outlineOf);
    });
  },

  count: (query, visibility, atMost = Number.POSITIVE_INFINITY) =>
    access.read((rows) =>
      query.recycled === true
        ? countRecycled(rows, query.classes, visibility, atMost)
        : countMatches(rows, query, visibility, atMost),
    ),

  /** Transactions have the outcome of a serial order. */
  lock: () => access.read(async (rows) => void (await currentNumber(rows, "object"))),

  async insert(objects, by) {
    for (const { className, attributes } of objects) acceptStorable([className, attributes]);
    const copies = frozenCopy(objects);
    return access.write(async (rows) => {
      await acceptModel(rows, by);
      const [now, first] = [await rows.now(), await newNumbers(rows, "object", copies.length)];
      const stored: StoredObject[] = [];
      for (const [index, object] of copies.entries()) stored.push(await insertOne(rows, object, first + index, now));
      return stored;
    });
  },

  async update(changes, by) {
    acceptChanges(changes);
    const copies = frozenCopy(changes);
    return access.write(async (rows) => {
      await acceptModel(rows, by);
      const now = await rows.now();
      const stored: StoredObject[] = [];
      for (const change of copies) stored.push(await updateOne(rows, change, by, now));
      return stored;
    });
  },
});

/** Throws `OutdatedModelError` if the write was prepared under another model. */
export async function acceptModel(rows: RowReader, by: Pick<Writing, "modelGeneration"> | undefined): Promise<void> {
  const prepared = by?.modelGeneration;
  if (prepared !== undefined && prepared !== (await currentNumber(rows, "modelGeneration")))
    throw new OutdatedModelError();
}

/** The valid ids, as keys of a table, each once, in ascending order. */
export function keysOf(ids: readonly ObjectId[]): [number][] {
  const numbers = [...new Set(ids.filter(isObjectId).map(objectNumber))];
  return numbers.toSorted((one, other) => one - other).map((number) => [number]);
}

/** The live objects with these ids, each once, by ascending number. */
export async function storedObjects(rows: RowReader, ids: readonly ObjectId[]): Promise<StoredObject[]> {
  return (await rows.getAll(objectTable, keysOf(ids))).map(({ object }) => object);
}

/** Stores a live object in place of the one before, with the stamp of the transaction. */
export async function keepObject(
  rows: Rows,
  row: Omit<ObjectRow, "stamp">,
  before: StoredObject | null,
): Promise<StoredObject> {
  await rows.put(objectTable, { ...row, stamp: await rows.stamp() });
  await keepValues(rows, [{ before, after: row.object }]);
  return row.object;
}

const measured = new WeakMap<object, number>();

/** The size of the attributes of an object, kept because attributes are immutable. */
export function objectBytes({ attributes }: Pick<StoredObject, "attributes">): number {
  const known = measured.get(attributes);
  if (known !== undefined) return known;
  const bytes = jsonBytes(attributes);
  measured.set(attributes, bytes);
  return bytes;
}

export function outlineOf(object: StoredObject): ObjectOutline {
  const { id, uuid, className, version, storedAt } = object;
  return { id, uuid, className, version, storedAt, bytes: objectBytes(object) };
}

/** Returns the objects. Throws `AnswerTooLargeError` if they exceed this many bytes in total. */
function withinBytes(objects: StoredObject[], bytes: number): StoredObject[] {
  if (objects.reduce((sum, object) => sum + objectBytes(object), 0) > bytes) throw new AnswerTooLargeError();
  return objects;
}

async function visibleObjects(rows: RowReader, which: ObjectKeys, visibility: Visibility): Promise<StoredObject[]> {
  let ids = which;
  if ("uuids" in ids) {
    const known = await rows.getAll(
      uuidTable,
      ids.uuids.map((uuid) => [uuid.toLowerCase()]),
    );
    ids = known.map(({ id }) => id);
  }
  return (await storedObjects(rows, ids)).filter((object) => isVisible(object, visibility));
}

async function countRecycled(
  rows: RowReader,
  classes: readonly string[],
  visibility: Visibility,
  atMost: number,
): Promise<number> {
  let count = 0;
  for (const className of new Set(classes))
    for await (const { object } of rows.each(tombstoneTable, { index: "byClass", of: [className] })) {
      if (count >= atMost) return count;
      if (isVisible(object, visibility)) count += 1;
    }
  return count;
}

async function insertOne(
  rows: Rows,
  { className, attributes, uuid, readers, links = {} }: NewObject,
  number: number,
  storedAt: number,
): Promise<StoredObject> {
  if (uuid !== undefined && !isUuid(uuid)) throw new ServiceError(307, { detail: "A UUID is malformed." });
  const key = (uuid ?? crypto.randomUUID()).toLowerCase();
  if ((await rows.get(uuidTable, key)) !== undefined) throw new UuidTakenError();
  await acceptTargets(rows, links);
  acceptObjectSize(attributes);
  const id = objectIdOf(number);
  const own = { id, uuid: key, className, storedAt, version: 1, attributes, readers: readers ?? null };
  await rows.put(uuidTable, { uuid: key, id });
  return keepObject(rows, { object: Object.freeze(own), links, createdStamp: await rows.stamp() }, null);
}

async function updateOne(
  rows: Rows,
  change: ObjectChange,
  { session, className, visibility = seesAll }: Writing,
  storedAt: number,
): Promise<StoredObject> {
  const { id, expectedVersions, readers = undefined } = change;
  const row = isObjectId(id) ? await rows.get(objectTable, objectNumber(id)) : undefined;
  if (row === undefined) throw new ServiceError((await isDeleted(rows, id)) ? 610 : 304);
  const { object } = row;
  if (!isVisible(object, visibility) || (className ?? object.className) !== object.className)
    throw new ServiceError(304);
  const lock = await liveLock(rows, id, storedAt);
  if (lock !== null && lock.session !== session)
    throw new ServiceError(713, { detail: "The object is locked by another session." });
  if (expectedVersions !== null && !expectedVersions.includes(object.version))
    throw new ServiceError(713, { detail: "The object has another version." });
  await acceptTargets(rows, change.links);
  const { attributes, links } = await keepMembers(rows, object, change, visibility);
  const now = Object.freeze({ ...object.attributes, ...attributes });
  acceptObjectSize(now);
  const written = { version: object.version + 1, storedAt, attributes: now };
  const changed = Object.freeze({ ...object, ...written, ...(readers === undefined ? {} : { readers }) });
  if (JSON.stringify(changed.readers) !== JSON.stringify(object.readers))
    await keepFormerReaders(rows, object, row.createdStamp, storedAt);
  return keepObject(rows, { ...row, object: changed, links: Object.freeze({ ...row.links, ...links }) }, object);
}

async function acceptTargets(rows: RowReader, links: Links): Promise<void> {
  const targets = [...new Set(Object.values(links).flat())];
  if (!targets.every(isObjectId) || (await rows.getAll(objectTable, keysOf(targets))).length < targets.length)
    throw new ServiceError(307, { detail: "A link references an object that does not exist." });
}

async function isDeleted(rows: RowReader, id: ObjectId): Promise<boolean> {
  return isObjectId(id) && (await rows.get(tombstoneTable, objectNumber(id))) !== undefined;
}

/** The change, with the collection members kept that the writer cannot see and so cannot mean to remove. */
async function keepMembers(
  rows: RowReader,
  object: StoredObject,
  { attributes, links }: ObjectChange,
  visibility: Visibility,
): Promise<{ readonly attributes: Attributes; readonly links: Links }> {
  const lists: Record<string, readonly ObjectId[]> = {};
  for (const name of Object.keys(links)) {
    const given = listOf(attributes, name);
    if (given === null) continue;
    const named = new Set(given);
    const others = (listOf(object.attributes, name) ?? []).filter((id) => !named.has(id));
    const kept = await hiddenMembers(rows, others, visibility);
    const members = others.filter((id) => kept.has(id));
    if (members.length > 0) lists[name] = Object.freeze([...given, ...members]);
  }
  return { attributes: { ...attributes, ...lists }, links: { ...links, ...lists } };
}

function listOf(attributes: Attributes, name: string): readonly ObjectId[] | null {
  return Object.hasOwn(attributes, name) && Array.isArray(attributes[name]) ? idsOf(attributes, name) : null;
}

/** Those of the members that a writer cannot see: live invisible objects and recycled ones. */
async function hiddenMembers(
  rows: RowReader,
  ids: readonly ObjectId[],
  visibility: Visibility,
): Promise<ReadonlySet<ObjectId>> {
  const live = await rows.getAll(objectTable, keysOf(ids));
  const dead = await rows.getAll(tombstoneTable, keysOf(ids));
  return new Set([
    ...live.filter(({ object }) => !isVisible(object, visibility)).map(({ object }) => object.id),
    ...dead.filter(({ object }) => object.attributes !== undefined).map(({ object }) => object.id),
  ]);
}
