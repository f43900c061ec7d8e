import {
  acceptObjectSize,
  acceptStorable,
  type ArchiveRecord,
  type Attributes,
  inconsistentRecords,
  objectNumber,
  type RecordOf,
} from "@sallyport/storage";
import { frozenCopy, type Table } from "../table.ts";
import { namesOf } from "../memory-account-repository.ts";
import type { AccountRecord } from "../records.ts";
import { keyOf } from "../memory-record-repository.ts";
import { reserveNumber } from "../state.ts";
import type { ArchivedState } from "./archived-state.ts";

/** Adds a record to a state that is being filled. */
export function keepRecord(state: ArchivedState, given: ArchiveRecord): void {
  acceptStorable(given);
  // Attributes travel as JSON text; `attributesOf` validates them separately.
  const record = frozenCopy(given);
  switch (record.section) {
    case "settings":
      return keepSettings(state, record);
    case "classes":
      return add(state.classes, record.definition.name, record.definition);
    case "appKeys":
      return keepAppKey(state, record);
    case "objects":
      return keepObject(state, record);
    case "links":
      return add(state.links, objectNumber(record.id), record.links);
    case "tombstones":
      return restoreTombstone(state, record);
    case "formerReaders":
      return add(state.formerReaders, objectNumber(record.id), record.entries);
    case "sweptObjects":
      return addSweptObject(state, record);
    case "accounts":
      return keepAccount(state, { ...without(record, "section"), id: record.userId });
    case "customAccounts":
      return keepAccount(state, { ...without(record, "section"), administrator: false });
    case "records":
      return keepStoredRecord(state, record);
    case "audit":
      raise(state, "audit", record.sequence);
      return add(state.audit, record.sequence, without(record, "section"));
    case "tallies":
      return add(state.auditTallies, record.key, without(without(record, "section"), "key"));
  }
}

function keepSettings(
  state: ArchivedState,
  { maintenance, modelGeneration, macroGeneration, lastObject, lastAudit, sweptStamp }: RecordOf<"settings">,
): void {
  add(state.switches, "maintenance", maintenance);
  raise(state, "modelGeneration", modelGeneration);
  raise(state, "settingsGeneration", macroGeneration);
  raise(state, "object", lastObject);
  raise(state, "audit", lastAudit);
  raise(state, "sweptStamp", sweptStamp);
  raise(state, "watermark", sweptStamp);
}

function keepAppKey(state: ArchivedState, record: RecordOf<"appKeys">): void {
  const { digest, ...appKey } = without(record, "section");
  add(state.appKeys, appKey.name, Object.freeze(appKey));
  add(state.appKeyDigests, digest, appKey.name);
  // Other storages have other ids; numeric ids come from this storage.
  if (/^\d{1,15}$/.test(appKey.id)) raise(state, "appKey", Number(appKey.id));
}

function keepObject(state: ArchivedState, record: RecordOf<"objects">): void {
  const { stamp, ...object } = without(record, "section");
  const number = objectNumber(object.id);
  add(state.objects, number, Object.freeze({ ...object, attributes: attributesOf(object.attributes) }));
  addObject(state, number, object.uuid, stamp);
}

function restoreTombstone(state: ArchivedState, record: RecordOf<"tombstones">): void {
  const { stamp, root, deletedBy, attributes, ...object } = without(record, "section");
  const number = objectNumber(object.id);
  const kept = Object.freeze(attributes === null ? object : { ...object, attributes: attributesOf(attributes) });
  add(state.tombstones, number, Object.freeze({ object: kept, root: root, deletedBy }));
  addObject(state, number, object.uuid, stamp);
}

function addSweptObject(state: ArchivedState, { id, uuid }: RecordOf<"sweptObjects">): void {
  const number = objectNumber(id);
  if (state.objects.has(number) || state.tombstones.has(number)) throw inconsistentRecords();
  add(state.uuids, uuid, number);
  raise(state, "object", number);
}

function keepAccount(state: ArchivedState, account: AccountRecord): void {
  add(state.accounts, account.id, Object.freeze(account));
  for (const name of namesOf(account)) add(state.accountNames, name, account.id);
}

function keepStoredRecord(state: ArchivedState, { kind, id, owner, value, createdAt }: RecordOf<"records">): void {
  const version = reserveNumber(state, "record");
  const record = {
    kind,
    id,
    owner,
    value,
    version,
    createdVersion: version,
    createdAt,
    expiresAt: null,
    dueAt: null,
    claims: 0,
  };
  add(state.records, keyOf(kind, id), Object.freeze(record));
}

/** Registers the UUID, stamp and number of an object or a tombstone. */
function addObject(state: ArchivedState, number: number, uuid: string, stamp: number): void {
  add(state.uuids, uuid, number);
  add(state.stamps, number, stamp);
  raise(state, "object", number);
  raise(state, "watermark", stamp);
}

function attributesOf(text: string): Attributes {
  const attributes = frozenCopy(JSON.parse(text) as Attributes);
  acceptStorable(attributes);
  acceptObjectSize(attributes);
  return attributes;
}

function add<K, V extends NonNullable<unknown>>(table: Table<K, V>, key: K, value: V): void {
  if (table.has(key)) throw inconsistentRecords();
  table.set(key, value);
}

function raise(
  { numbers }: ArchivedState,
  series: "appKey" | "audit" | "settingsGeneration" | "modelGeneration" | "object" | "sweptStamp" | "watermark",
  number: number,
): void {
  numbers.set(series, Math.max(numbers.get(series) ?? 0, number));
}

function without<T extends object, Name extends keyof T>(record: T, name: Name): Omit<T, Name> {
  const rest = { ...record };
  delete (rest as Partial<T>)[name];
  return Object.freeze(rest);
}
