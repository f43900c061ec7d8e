import { type ObjectId, objectNumber } from "../../entities/object-id.ts";
import type { StoredObject } from "../../entities/stored-object.ts";
import type { Rows } from "../../kernel/rows.ts";
import type { Table } from "../../kernel/table.ts";
import { acceptStorable } from "../../entities/storable-text.ts";
import {
  type ArchiveChunk,
  archivedAttributes,
  type ArchiveRecord,
  type ArchiveSection,
  inconsistentRecords,
  type RecordOf,
} from "../../ports/storage-archive.ts";
import { isTaken } from "../accounts.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { keepValues } from "../query/value-indexes.ts";
import { newNumbers, nextNumbers, raiseNumber, setNumber } from "../numbers.ts";
import {
  type AccountRow,
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

/** Keeps the records of an archive in a database without content. */
export async function keepRecords(rows: Rows, chunks: AsyncIterable<ArchiveChunk>): Promise<void> {
  await rows.delete(classTable, ...(await rows.list(classTable, {}, Number.POSITIVE_INFINITY)).map(classTable.key));
  for await (const chunk of chunks) {
    acceptStorable(chunk);
    // All records of a chunk are of one section.
    const [{ section }] = chunk as readonly [ArchiveRecord, ...ArchiveRecord[]];
    await (keepers[section] as (rows: Rows, records: ArchiveChunk) => Promise<void>)(rows, frozenCopy(chunk));
  }
}

type Keeper<Section extends ArchiveSection> = (rows: Rows, records: readonly RecordOf<Section>[]) => Promise<void>;

const keepers: { readonly [Section in ArchiveSection]: Keeper<Section> } = {
  async settings(rows, [settings]) {
    const { maintenance, modelGeneration, macroGeneration, lastObject, lastAudit, sweptStamp } =
      settings as RecordOf<"settings">;
    await setNumber(rows, "maintenance", maintenance ? 1 : 0);
    await raiseNumber(rows, "modelGeneration", modelGeneration);
    await raiseNumber(rows, "settingsGeneration", macroGeneration);
    await raiseNumber(rows, "object", lastObject);
    await raiseNumber(rows, "audit", lastAudit);
    await raiseNumber(rows, "sweptStamp", sweptStamp);
    await raiseNumber(rows, "stampOffset", sweptStamp);
  },

  async classes(rows, records) {
    const first = await nextNumbers(rows, "class", records.length);
    await add(
      rows,
      classTable,
      records.map(({ definition }, index) => ({ definition, order: first + index })),
    );
  },

  async appKeys(rows, records) {
    await add(rows, appKeyTable, records.map(withoutSection));
    for (const { id, digest } of records) {
      if ((await rows.count(appKeyTable, { index: "byDigest", of: [digest] })) > 1) throw inconsistentRecords();
      // Other storages have other ids; numeric ids come from this storage.
      if (/^\d{1,15}$/.test(id)) await raiseNumber(rows, "appKey", Number(id));
    }
  },

  async objects(rows, records) {
    const objectRows = records.map(({ section: _section, stamp, attributes, ...object }) => ({
      object: { ...object, attributes: frozenCopy(archivedAttributes(attributes)) },
      links: {},
      stamp,
      createdStamp: 0,
    }));
    await add(rows, objectTable, objectRows);
    await keepValues(
      rows,
      objectRows.map(({ object }) => ({ before: null, after: object })),
    );
    await addObjects(rows, records);
  },

  async links(rows, records) {
    const links = new Map(records.map((record) => [record.id, record.links]));
    const sources = await rows.getAll(
      objectTable,
      records.map(({ id }) => [objectNumber(id)]),
    );
    // A repeated object is found once.
    if (sources.length < records.length) throw inconsistentRecords();
    await rows.put(objectTable, ...sources.map((row) => ({ ...row, links: links.get(row.object.id) ?? {} })));
  },

  async tombstones(rows, records) {
    const tombstoneRows = records.map(({ section: _section, stamp, root, deletedBy, attributes, ...object }) => ({
      object: attributes === null ? object : { ...object, attributes: frozenCopy(archivedAttributes(attributes)) },
      root,
      deletedBy,
      stamp,
      createdStamp: 0,
    }));
    await add(rows, tombstoneTable, tombstoneRows);
    await addObjects(rows, records);
  },

  async formerReaders(rows, records) {
    const entryRows = records.flatMap(({ id, className, entries }) =>
      entries.map((entry) => ({ ...entry, id, className })),
    );
    await add(rows, formerReadersTable, entryRows);
  },

  sweptObjects: (rows, records) => addUuids(rows, records),

  accounts: (rows, records) =>
    addAccounts(
      rows,
      records.map((record) => ({ ...withoutSection(record), id: record.userId })),
    ),

  customAccounts: (rows, records) =>
    addAccounts(
      rows,
      records.map((record) => ({ ...withoutSection(record), administrator: false })),
    ),

  async records(rows, records) {
    const first = await newNumbers(rows, "record", records.length);
    const recordRows = records.map(({ section: _section, ...record }, index) => {
      const version = first + index;
      return { ...record, version, createdVersion: version, expiresAt: null, dueAt: null, claims: 0 };
    });
    await add(rows, recordTable, recordRows);
  },

  async audit(rows, records) {
    await add(rows, auditTable, records.map(withoutSection));
    await raiseNumber(rows, "audit", Math.max(...records.map(({ sequence }) => sequence)));
  },

  tallies: (rows, records) => add(rows, tallyTable, records.map(withoutSection)),
};

/** Adds rows. 307 if a key is used already. */
async function add<Row, Index extends string>(
  rows: Rows,
  table: Table<Row, Index>,
  added: readonly Row[],
): Promise<void> {
  const keys = added.map(table.key);
  const isRepeated = new Set(keys.map((key) => JSON.stringify(key))).size < keys.length;
  if (isRepeated || (await rows.getAll(table, keys)).length > 0) throw inconsistentRecords();
  await rows.put(table, ...added);
}

/** Registers the UUIDs, numbers and stamps of objects or tombstones. */
async function addObjects(
  rows: Rows,
  objects: readonly (Pick<StoredObject, "id" | "uuid"> & { readonly stamp: number })[],
): Promise<void> {
  await addUuids(rows, objects);
  await raiseNumber(rows, "stampOffset", Math.max(...objects.map(({ stamp }) => stamp)));
}

async function addUuids(
  rows: Rows,
  objects: readonly { readonly id: ObjectId; readonly uuid: string }[],
): Promise<void> {
  // One object has one UUID.
  if (new Set(objects.map(({ id }) => id)).size < objects.length) throw inconsistentRecords();
  for (const { id } of objects)
    if ((await rows.count(uuidTable, { index: "byId", of: [objectNumber(id)] }, 1)) > 0) throw inconsistentRecords();
  await add(
    rows,
    uuidTable,
    objects.map(({ id, uuid }) => ({ id, uuid })),
  );
  await raiseNumber(rows, "object", Math.max(...objects.map(({ id }) => objectNumber(id))));
}

async function addAccounts(rows: Rows, accounts: readonly AccountRow[]): Promise<void> {
  for (const account of accounts) {
    if (await isTaken(rows, account.id, account)) throw inconsistentRecords();
    await add(rows, accountTable, [account]);
  }
}

function withoutSection<T extends { readonly section: string }>({
  section: _section,
  ...record
}: T): Omit<T, "section"> {
  return record;
}
