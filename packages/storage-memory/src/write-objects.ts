import { randomUUID } from "node:crypto";
import {
  acceptObjectSize,
  type Attributes,
  isObjectId,
  isUuid,
  isVisible,
  type Links,
  type NewObject,
  type ObjectChange,
  type ObjectId,
  objectIdOf,
  objectNumber,
  OutdatedModelError,
  seesAll,
  ServiceError,
  type StoredObject,
  UuidTakenError,
  type Visibility,
  type Writing,
} from "@sallyport/storage";
import { liveLock } from "./memory-lock-repository.ts";
import { kindOf } from "./records.ts";
import { keepFormerReaders } from "./memory-change-repository.ts";
import { reserveNumber, type State, writeStamp } from "./state.ts";
import { keepObject } from "./stored-objects.ts";

/** Throws `OutdatedModelError` if the write was prepared under another model. */
export function acceptModel({ numbers }: State, by: Writing | undefined): void {
  const prepared = by?.modelGeneration;
  if (prepared !== undefined && prepared !== numbers.get("modelGeneration")) throw new OutdatedModelError();
}

export function insertOne(
  state: State,
  { className, attributes, uuid, readers, links = {} }: NewObject,
  storedAt: number,
): StoredObject {
  if (uuid !== undefined && !isUuid(uuid)) throw new ServiceError(307, { detail: "A UUID is malformed." });
  const key = (uuid ?? randomUUID()).toLowerCase();
  if (state.uuids.has(key)) throw new UuidTakenError();
  acceptTargets(state, links);
  acceptObjectSize(attributes);
  const number = reserveNumber(state, "object");
  const id = objectIdOf(number);
  const stored = Object.freeze({
    id,
    uuid: key,
    className,
    storedAt,
    version: 1,
    attributes,
    readers: readers ?? null,
  });
  keepObject(state, stored);
  state.createdStamps.set(number, writeStamp(state));
  state.uuids.set(key, number);
  state.links.set(number, links);
  return stored;
}

export function updateOne(
  state: State,
  change: ObjectChange,
  { session, className, visibility = seesAll }: Writing,
  storedAt: number,
): StoredObject {
  const { id, expectedVersions, readers = undefined } = change;
  const object = isObjectId(id) ? state.objects.get(objectNumber(id)) : undefined;
  if (object === undefined) throw new ServiceError(isDeleted(state, id) ? 610 : 304);
  if (!isVisible(object, visibility) || (className ?? object.className) !== object.className)
    throw new ServiceError(304);
  const number = objectNumber(id);
  const lock = liveLock(state, number, storedAt);
  if (lock !== null && lock.session !== session)
    throw new ServiceError(713, { detail: "The object is locked by another session." });
  if (expectedVersions !== null && !expectedVersions.includes(object.version))
    throw new ServiceError(713, { detail: "The object has another version." });
  acceptTargets(state, change.links);
  const { attributes, links } = keepMembers(state, object, change, visibility);
  const now = Object.freeze({ ...object.attributes, ...attributes });
  acceptObjectSize(now);
  const changed = Object.freeze({
    ...object,
    version: object.version + 1,
    storedAt,
    attributes: now,
    ...(readers === undefined ? {} : { readers }),
  });
  if (JSON.stringify(changed.readers) !== JSON.stringify(object.readers)) keepFormerReaders(state, object, storedAt);
  keepObject(state, changed);
  state.links.set(number, Object.freeze({ ...state.links.get(number), ...links }));
  return changed;
}

function acceptTargets(state: State, links: Links): void {
  for (const target of Object.values(links).flat()) {
    if (!isLiveObject(state, target))
      throw new ServiceError(307, { detail: "A link references an object that does not exist." });
  }
}

function isDeleted({ tombstones }: State, id: ObjectId): boolean {
  return isObjectId(id) && tombstones.has(objectNumber(id));
}

function isLiveObject({ objects }: State, id: ObjectId): boolean {
  return isObjectId(id) && objects.has(objectNumber(id));
}

/** The change, with the collection members kept that the writer cannot see and so cannot mean to remove. */
function keepMembers(
  state: State,
  object: StoredObject,
  { attributes, links }: ObjectChange,
  visibility: Visibility,
): { readonly attributes: Attributes; readonly links: Links } {
  const kept = Object.keys(links).flatMap((name) => {
    const given = listOf(attributes, name);
    if (given === null) return [];
    const named = new Set(given);
    const members = (listOf(object.attributes, name) ?? []).filter(
      (id) => !named.has(id) && stays(state, id, visibility),
    );
    return members.length === 0 ? [] : [[name, Object.freeze([...given, ...members])] as const];
  });
  const lists = Object.fromEntries(kept);
  return { attributes: { ...attributes, ...lists }, links: { ...links, ...lists } };
}

function listOf(attributes: Attributes, name: string): readonly ObjectId[] | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : null;
}

function stays({ objects, tombstones }: State, id: ObjectId, visibility: Visibility): boolean {
  const number = isObjectId(id) ? objectNumber(id) : 0;
  const live = objects.get(number);
  if (live !== undefined) return !isVisible(live, visibility);
  const tombstone = tombstones.get(number);
  return tombstone !== undefined && kindOf(tombstone) === "recycled";
}
