import { canonicalJson } from "../../entities/canonical-json.ts";
import { type ObjectId, objectNumber } from "../../entities/object-id.ts";
import type { Links } from "../../entities/stored-object.ts";
import type { RowReader } from "../../kernel/rows.ts";
import type { ArchiveRecord, RecordOf } from "../../ports/storage-archive.ts";
import { compareKeys } from "../../kernel/keys.ts";
import { currentNumber } from "../numbers.ts";
import { settingsOf } from "../settings.ts";
import {
  accountTable,
  appKeyTable,
  auditTable,
  classTable,
  formerReadersTable,
  objectTable,
  recordTable,
  tallyTable,
  tombstoneTable,
  uuidTable,
} from "../tables.ts";
import type { FormerReadersEntry } from "../writes/object-writer.ts";

/** All records of a state, in the order of an archive. */
export async function* recordsOf(rows: RowReader): AsyncGenerator<ArchiveRecord> {
  yield settingsRecord(rows);
  for await (const { definition } of rows.each(classTable, { index: "byOrder" }))
    yield { section: "classes", definition };
  for await (const appKey of rows.each(appKeyTable, {})) yield { section: "appKeys", ...appKey };
  for await (const { object, stamp } of rows.each(objectTable, {}))
    yield { section: "objects", ...object, stamp, attributes: canonicalJson(object.attributes) };
  for await (const { object, links } of rows.each(objectTable, {})) {
    const ordered = orderedLinks(links);
    if (Object.keys(ordered).length > 0) yield { section: "links", id: object.id, links: ordered };
  }
  for await (const { object, root, deletedBy, stamp } of rows.each(tombstoneTable, {})) {
    const attributes = object.attributes === undefined ? null : canonicalJson(object.attributes);
    yield { section: "tombstones", ...object, root, deletedBy, stamp, attributes };
  }
  yield* formerReadersRecords(rows);
  for await (const { id, uuid } of rows.each(uuidTable, { index: "byId" })) {
    const key = objectNumber(id);
    const row = (await rows.get(objectTable, key)) ?? (await rows.get(tombstoneTable, key));
    if (row === undefined) yield { section: "sweptObjects", id, uuid };
  }
  for await (const { id: _id, ...account } of rows.each(accountTable, { index: "byUserNumber" }))
    yield { section: "accounts", ...account };
  for await (const { administrator: _administrator, ...account } of rows.each(accountTable, {
    index: "byName",
    of: ["custom"],
  }))
    yield { section: "customAccounts", ...account };
  for await (const { kind, id, owner, value, createdAt } of rows.each(recordTable, { index: "permanent" }))
    yield { section: "records", kind, id, owner, value, createdAt };
  for await (const event of rows.each(auditTable, {})) yield { section: "audit", ...event };
  for await (const tally of rows.each(tallyTable, {})) yield { section: "tallies", ...tally };
}

async function settingsRecord(rows: RowReader): Promise<RecordOf<"settings">> {
  const { maintenance, modelGeneration, settingsGeneration } = await settingsOf(rows);
  return {
    section: "settings",
    maintenance,
    modelGeneration,
    macroGeneration: settingsGeneration,
    objects: await rows.count(objectTable, {}),
    lastObject: await currentNumber(rows, "object"),
    lastAudit: await currentNumber(rows, "audit"),
    sweptStamp: await currentNumber(rows, "sweptStamp"),
  };
}

/** The links of an object: names by code points, ids by number and each once, no attribute without targets. */
function orderedLinks(links: Links): Links {
  const named = Object.entries(links).filter(([, ids]) => ids.length > 0);
  return Object.fromEntries(
    named.toSorted(([one], [other]) => compareKeys(one, other)).map(([name, ids]) => [name, inOrder(ids)]),
  );
}

function inOrder(ids: readonly ObjectId[]): ObjectId[] {
  return [...new Set(ids)].toSorted((one, other) => objectNumber(one) - objectNumber(other));
}

/** The entries of each object in one record. */
async function* formerReadersRecords(rows: RowReader): AsyncGenerator<RecordOf<"formerReaders">> {
  let entries: FormerReadersEntry[] = [];
  for await (const entry of rows.each(formerReadersTable, {})) {
    if (entries.length > 0 && entries[0]?.id !== entry.id) {
      yield formerReadersRecord(entries);
      entries = [];
    }
    entries.push(entry);
  }
  if (entries.length > 0) yield formerReadersRecord(entries);
}

function formerReadersRecord(entries: readonly FormerReadersEntry[]): RecordOf<"formerReaders"> {
  const [{ id, className }] = entries as readonly [FormerReadersEntry];
  const shown = entries.map(({ readers, stamp, changedAt }) => ({ readers, stamp, changedAt }));
  return { section: "formerReaders", id, className, entries: shown };
}
