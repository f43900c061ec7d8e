import {
  type ArchiveRecord,
  canonicalJson,
  type ObjectId,
  objectIdOf,
  objectNumber,
  type RecordOf,
} from "@sallyport/storage";
import { accountsOf } from "../memory-account-repository.ts";
import { keyOf } from "../memory-record-repository.ts";
import { pageByName } from "../table.ts";
import type { ArchivedState } from "./archived-state.ts";

/** All records of an unchanging state, in archive order. */
export function* recordsOf(state: ArchivedState): Generator<ArchiveRecord> {
  const { appKeyDigests, auditTallies } = state;
  yield settingsOf(state);
  for (const definition of state.classes.values()) yield { section: "classes", definition };
  const digests = new Map(Array.from(appKeyDigests.entries(), ([digest, name]) => [name, digest]));
  for (const appKey of byName(state.appKeys.values(), ({ name }) => name)) {
    yield { section: "appKeys", ...appKey, digest: digests.get(appKey.name) ?? "" };
  }
  yield* objectsOf(state);
  yield* linksOf(state);
  yield* tombstonesOf(state);
  yield* formerReadersOf(state);
  yield* sweptObjectsOf(state);
  const numbered = accountsOf(state, "database").map((account) => [objectNumber(account.userId), account] as const);
  for (const [, { id: _id, ...account }] of byNumber(numbered)) yield { section: "accounts", ...account };
  for (const account of byName(accountsOf(state, "custom"), ({ loginName }) => loginName)) {
    const { administrator: _administrator, ...record } = account;
    yield { section: "customAccounts", ...record };
  }
  yield* storedRecordsOf(state);
  for (const event of state.audit.values()) yield { section: "audit", ...event };
  for (const [key, tally] of byName(auditTallies.entries(), ([name]) => name))
    yield { section: "tallies", key, ...tally };
}

function settingsOf({ numbers, objects, switches }: ArchivedState): RecordOf<"settings"> {
  return {
    section: "settings",
    maintenance: switches.get("maintenance") ?? false,
    modelGeneration: numbers.get("modelGeneration") ?? 0,
    macroGeneration: numbers.get("settingsGeneration") ?? 0,
    objects: [...objects.values()].length,
    lastObject: numbers.get("object") ?? 0,
    lastAudit: numbers.get("audit") ?? 0,
    sweptStamp: numbers.get("sweptStamp") ?? 0,
  };
}

function* objectsOf({ objects, stamps }: ArchivedState): Generator<RecordOf<"objects">> {
  for (const [number, object] of byNumber(objects.entries())) {
    yield {
      section: "objects",
      ...object,
      stamp: stamps.get(number) ?? 0,
      attributes: canonicalJson(object.attributes),
    };
  }
}

function* linksOf({ links }: ArchivedState): Generator<RecordOf<"links">> {
  for (const [number, linked] of byNumber(links.entries())) {
    const named = byName(Object.entries(linked), ([name]) => name).filter(([, ids]) => ids.length > 0);
    if (named.length === 0) continue;
    yield {
      section: "links",
      id: objectIdOf(number),
      links: Object.fromEntries(named.map(([name, ids]) => [name, inOrder(ids)])),
    };
  }
}

function* tombstonesOf({ tombstones, stamps }: ArchivedState): Generator<RecordOf<"tombstones">> {
  for (const [number, { object, root, deletedBy }] of byNumber(tombstones.entries())) {
    const attributes = object.attributes === undefined ? null : canonicalJson(object.attributes);
    yield { section: "tombstones", ...object, root, deletedBy, stamp: stamps.get(number) ?? 0, attributes };
  }
}

function* formerReadersOf({ formerReaders, objects, tombstones }: ArchivedState): Generator<RecordOf<"formerReaders">> {
  for (const [number, entries] of byNumber(formerReaders.entries())) {
    const object = objects.get(number) ?? tombstones.get(number)?.object;
    if (object === undefined) continue;
    yield { section: "formerReaders", id: object.id, className: object.className, entries };
  }
}

function* sweptObjectsOf({ objects, tombstones, uuids }: ArchivedState): Generator<RecordOf<"sweptObjects">> {
  const numbered = Array.from(uuids.entries(), ([uuid, number]) => [number, uuid] as const);
  for (const [number, uuid] of byNumber(numbered))
    if (!objects.has(number) && !tombstones.has(number))
      yield { section: "sweptObjects", id: objectIdOf(number), uuid };
}

function* storedRecordsOf({ records }: ArchivedState): Generator<RecordOf<"records">> {
  const kept = [...records.values()].filter(({ expiresAt }) => expiresAt === null);
  for (const { kind, id, owner, value, createdAt } of byName(kept, (record) => keyOf(record.kind, record.id)))
    yield { section: "records", kind, id, owner, value, createdAt };
}

function inOrder(ids: readonly ObjectId[]): ObjectId[] {
  return [...new Set(ids)].toSorted((one, other) => objectNumber(one) - objectNumber(other));
}

function byNumber<T>(entries: Iterable<readonly [number, T]>): (readonly [number, T])[] {
  return [...entries].toSorted(([one], [other]) => one - other);
}

function byName<T>(all: Iterable<T>, nameOf: (each: T) => string): T[] {
  return pageByName(all, nameOf, null, Number.POSITIVE_INFINITY);
}
