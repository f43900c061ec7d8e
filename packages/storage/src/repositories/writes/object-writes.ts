import { isUuid, type ObjectId, objectIdOf } from "../../entities/object-id.ts";
import { acceptObjectSize } from "../../entities/size-limits.ts";
import {
  acceptChanges,
  type Attributes,
  idsOf,
  type Links,
  type NewObject,
  type ObjectChange,
  UuidTakenError,
  type Writing,
} from "../../entities/stored-object.ts";
import { isVisible, seesAll, type Visibility } from "../../entities/visibility.ts";
import { ServiceError } from "../../errors/index.ts";
import type { ObjectRepository } from "../../ports/object-repository.ts";
import { acceptStorable } from "../../entities/storable-text.ts";
import { frozenCopy } from "../frozen-copy.ts";
import {
  type ChangedObject,
  keepReaders,
  nextVersion,
  type ObjectWriter,
  type ReadObject,
  type WriteObjects,
} from "./object-writer.ts";

/** Of the Web Crypto API, which browsers and Node have. */
declare const crypto: { readonly randomUUID: () => string };

/** The writes of objects over the statements of an adapter. */
export const objectWrites = <Read extends ReadObject>(
  write: WriteObjects<Read>,
): Pick<ObjectRepository, "insert" | "update"> => ({
  async insert(objects, by) {
    if (objects.length === 0) return [];
    const complete = completed(frozenCopy(objects));
    const uuids = complete.filter((_, index) => objects[index]?.uuid !== undefined).map(({ uuid }) => uuid);
    return write(async (writer) => {
      await acceptTargets(writer, complete);
      // A generated UUID is unique.
      if (uuids.length > 0 && (await writer.isTaken(uuids))) throw new UuidTakenError();
      for (const { attributes } of complete) acceptObjectSize(attributes);
      const first = await writer.numbers(complete.length);
      const added = complete.map(({ className, attributes, uuid, readers, links }, index) => {
        const id = objectIdOf(first + index);
        const object = { id, uuid, className, storedAt: writer.now, version: 1, attributes, readers };
        return { object: Object.freeze(object), links };
      });
      await writer.add(added, { restored: false });
      return added.map(({ object }) => object);
    }, by);
  },

  async update(changes, by) {
    if (changes.length === 0) return [];
    acceptChanges(changes);
    const copies = frozenCopy(changes);
    return write(async (writer) => {
      const changing = await changeable(writer, copies, by);
      await acceptTargets(writer, copies);
      const whole = await withHiddenMembers(writer, changing, by.visibility ?? seesAll);
      const changed = whole.map((each) => changedObject(each, writer.now));
      for (const { object } of changed) acceptObjectSize(object.attributes);
      const narrowed = changed.filter(
        ({ before, object }) => JSON.stringify(before.object.readers) !== JSON.stringify(object.readers),
      );
      await keepReaders(
        writer,
        narrowed.map(({ before }) => before),
      );
      await writer.replace(changed);
      return changed.map(({ object }) => object);
    }, by);
  },
});

/** New objects with all their members. Throws 307 for a malformed UUID, or one that two of them have. */
export function completed(objects: readonly NewObject[]): Required<NewObject>[] {
  for (const { className, attributes } of objects) acceptStorable([className, attributes]);
  const whole = objects.map(({ className, attributes, links = {}, uuid = crypto.randomUUID(), readers = null }) => {
    if (!isUuid(uuid)) throw new ServiceError(307, { detail: "A UUID is malformed." });
    return { className, attributes, links, uuid: uuid.toLowerCase(), readers };
  });
  if (new Set(whole.map(({ uuid }) => uuid)).size < whole.length) throw new UuidTakenError();
  return whole;
}

/** 307. */
export function missingTarget(): ServiceError {
  return new ServiceError(307, { detail: "A link references an object that does not exist." });
}

async function acceptTargets<Read extends ReadObject>(
  writer: ObjectWriter<Read>,
  linked: readonly { readonly links: Links }[],
): Promise<void> {
  const targets = [...new Set(linked.flatMap(({ links }) => Object.values(links).flat()))];
  if (targets.length === 0) return;
  const live = (await writer.states(targets)).filter(({ state }) => state === "live");
  if (live.length < targets.length) throw missingTarget();
}

interface Changing<Read extends ReadObject> {
  readonly change: ObjectChange;
  readonly before: Read;
}

/** The objects to change, in the order of their changes. Throws if one of them may not be changed. */
async function changeable<Read extends ReadObject>(
  writer: ObjectWriter<Read>,
  changes: readonly ObjectChange[],
  { session, className, visibility = seesAll }: Writing,
): Promise<Changing<Read>[]> {
  const ids = changes.map(({ id }) => id);
  const byId = new Map((await writer.objects(ids)).map((read) => [read.object.id, read]));
  const missing = ids.filter((id) => !byId.has(id));
  const deleted = missing.length === 0 ? [] : (await writer.states(missing)).map(({ id }) => id);
  const changing = changes.map((change) => {
    const before = byId.get(change.id);
    if (before === undefined) throw new ServiceError(deleted.includes(change.id) ? 610 : 304);
    const { object } = before;
    if (!isVisible(object, visibility) || (className ?? object.className) !== object.className)
      throw new ServiceError(304);
    return { change, before };
  });
  const lockedBy = await writer.lockedBy(ids);
  for (const { change, before } of changing) {
    const holder = lockedBy.get(change.id);
    if (holder !== undefined && holder !== session)
      throw new ServiceError(713, { detail: "The object is locked by another session." });
    if (change.expectedVersions?.includes(before.object.version) === false)
      throw new ServiceError(713, { detail: "The object has another version." });
  }
  return changing;
}

function changedObject<Read extends ReadObject>(
  { change: { attributes, links, readers }, before }: Changing<Read>,
  now: number,
): ChangedObject<Read> {
  const whole = Object.freeze({ ...before.object.attributes, ...attributes });
  const changes = readers === undefined ? { attributes: whole } : { attributes: whole, readers };
  return { before, object: nextVersion(before.object, now, changes), links };
}

/** The changes, with the collection members kept that the writer cannot see and so cannot mean to remove: live invisible objects and recycled ones. */
async function withHiddenMembers<Read extends ReadObject>(
  writer: ObjectWriter<Read>,
  changing: readonly Changing<Read>[],
  visibility: Visibility,
): Promise<readonly Changing<Read>[]> {
  const missing = changing.flatMap((each) => newLists(each).flatMap((list) => list.missing));
  const states = missing.length === 0 ? [] : await writer.states(missing);
  const hidden = new Set(
    states
      .filter((each) => (each.state === "live" ? !isVisible(each, visibility) : each.state === "recycled"))
      .map(({ id }) => id),
  );
  if (hidden.size === 0) return changing;
  return changing.map(({ change, before }) => {
    const lists = newLists({ change, before }).map(
      ({ name, members, missing: those }) =>
        [name, Object.freeze([...members, ...those.filter((id) => hidden.has(id))])] as const,
    );
    const whole = Object.fromEntries(lists);
    const [attributes, links] = [
      { ...change.attributes, ...whole },
      { ...change.links, ...whole },
    ];
    return { before, change: { ...change, attributes, links } };
  });
}

/** A collection whose list changes. */
interface NewList {
  readonly name: string;
  readonly members: readonly ObjectId[];
  /** The removed members. */
  readonly missing: readonly ObjectId[];
}

function newLists<Read extends ReadObject>({ change: { attributes, links }, before }: Changing<Read>): NewList[] {
  return Object.keys(links).flatMap((name) => {
    const [members, stored] = [listOf(attributes, name), listOf(before.object.attributes, name)];
    if (members === null || stored === null) return [];
    const named = new Set(members);
    return [{ name, members, missing: stored.filter((id) => !named.has(id)) }];
  });
}

function listOf(attributes: Attributes, name: string): readonly ObjectId[] | null {
  return Object.hasOwn(attributes, name) && Array.isArray(attributes[name]) ? idsOf(attributes, name) : null;
}
