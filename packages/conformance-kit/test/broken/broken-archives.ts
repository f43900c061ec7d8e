import {
  type ArchiveRecord,
  canonicalJson,
  inChunks,
  objectNumber,
  type Storage,
  type StorageArchive,
} from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage } from "./broken-adapter.ts";

/** A memory storage with a faulty archive. */
function brokenArchive(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (archive: StorageArchive, storage: Storage) => Partial<StorageArchive>,
): BrokenAdapter {
  const create: BrokenAdapter["create"] = (options) => {
    const storage = new MemoryStorage(options);
    const { archive } = storage;
    const whole = {
      export: () => archive.export(),
      import: (records: AsyncIterable<ArchiveRecord>) => archive.import(records),
    };
    return brokenStorage(storage, { archive: { ...whole, ...makeFault(whole, storage) } });
  };
  return { fault, caughtBy: [caughtBy].flat(), create };
}

/** An export that changes records. */
function exporting(
  change: (record: ArchiveRecord) => ArchiveRecord | null,
): (archive: StorageArchive) => Partial<StorageArchive> {
  return (archive) => ({ export: () => inChunks(changed(recordsOf(archive), change)) });
}

/** An import that changes records. */
function importing(
  change: (record: ArchiveRecord) => ArchiveRecord | null,
): (archive: StorageArchive) => Partial<StorageArchive> {
  return (archive) => ({ import: (records) => archive.import(changed(records, change)) });
}

async function* changed(
  records: AsyncIterable<ArchiveRecord>,
  change: (record: ArchiveRecord) => ArchiveRecord | null,
): AsyncGenerator<ArchiveRecord> {
  for await (const record of records) {
    const other = change(record);
    if (other !== null) yield other;
  }
}

const without = (section: ArchiveRecord["section"]) => (record: ArchiveRecord) =>
  record.section === section ? null : record;

/** Changes the order of the records of a section. */
function sorted(
  section: ArchiveRecord["section"],
  order: (one: ArchiveRecord, other: ArchiveRecord) => number,
): (archive: StorageArchive) => Partial<StorageArchive> {
  return (archive) => ({
    export: () => inChunks(reordered(recordsOf(archive), section, order)),
  });
}

async function* reordered(
  records: AsyncIterable<ArchiveRecord>,
  section: ArchiveRecord["section"],
  order: (one: ArchiveRecord, other: ArchiveRecord) => number,
): AsyncGenerator<ArchiveRecord> {
  const buffered: ArchiveRecord[] = [];
  for await (const record of records) {
    if (record.section === section) buffered.push(record);
    else {
      yield* buffered.splice(0).toSorted(order);
      yield record;
    }
  }
  yield* buffered.toSorted(order);
}

/** The records of an export, one by one. */
async function* recordsOf(archive: StorageArchive): AsyncGenerator<ArchiveRecord> {
  for await (const part of archive.export()) yield* part;
}

async function allOf(records: AsyncIterable<ArchiveRecord>): Promise<ArchiveRecord[]> {
  const all: ArchiveRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

async function* streamOf(records: readonly ArchiveRecord[]): AsyncGenerator<ArchiveRecord> {
  yield* records;
}

/** Faults in exports and imports. */
export const brokenArchives: readonly BrokenAdapter[] = [
  brokenArchive(
    "exports no tombstones",
    "exports tombstones and the highest assigned number",
    exporting(without("tombstones")),
  ),

  brokenArchive(
    "exports objects in insertion order",
    "exports objects with their exact attributes and links, ordered by number",
    sorted("objects", (one, other) => ("stamp" in one && "stamp" in other ? one.stamp - other.stamp : 0)),
  ),

  brokenArchive(
    "orders records by UTF-16 code units",
    ["exports permanent records ordered by kind and ID in code point order", "exports exactly the imported records"],
    sorted("records", (one, other) =>
      "kind" in one && "kind" in other && `${one.kind} ${one.id}` < `${other.kind} ${other.id}` ? -1 : 1,
    ),
  ),

  brokenArchive(
    "exports attributes without canonical order",
    [
      "exports objects with their exact attributes and links, ordered by number",
      "exports exactly the imported records",
    ],
    exporting((record) =>
      record.section === "objects" ? { ...record, attributes: JSON.stringify(JSON.parse(record.attributes)) } : record,
    ),
  ),

  brokenArchive(
    "uses the object number as the change stamp",
    "exports the change stamps of objects and tombstones",
    exporting((record) =>
      record.section === "objects" || record.section === "tombstones"
        ? { ...record, stamp: objectNumber(record.id) }
        : record,
    ),
  ),

  brokenArchive(
    "exports the highest live number as the highest assigned number",
    "exports tombstones and the highest assigned number",
    exporting((record) => (record.section === "settings" ? { ...record, lastObject: record.objects } : record)),
  ),

  brokenArchive(
    "exports the first secret of an account",
    "exports app keys ordered by name, and secrets in stored form",
    exporting((record) => (record.section === "accounts" ? { ...record, secret: "$argon2id$1" } : record)),
  ),

  brokenArchive(
    "drops custom accounts",
    ["exports custom accounts ordered by name", "exports exactly the imported records"],
    exporting(without("customAccounts")),
  ),

  brokenArchive(
    "drops records",
    ["exports permanent records ordered by kind and ID in code point order", "exports exactly the imported records"],
    exporting(without("records")),
  ),

  brokenArchive(
    "drops the owners of records",
    ["exports permanent records ordered by kind and ID in code point order", "exports exactly the imported records"],
    exporting((record) => (record.section === "records" ? { ...record, owner: null } : record)),
  ),

  brokenArchive(
    "resets the settings generation",
    ["makes imported data available as if it had been written", "allows writes to imported data"],
    importing((record) => (record.section === "settings" ? { ...record, macroGeneration: 0 } : record)),
  ),

  brokenArchive(
    "reads each section only when it is reached",
    "exports one consistent snapshot during concurrent writes",
    (archive) => ({
      export: async function* () {
        const [settings] = await allOf(recordsOf(archive));
        if (settings !== undefined) yield [settings];
        yield* inChunks(changed(recordsOf(archive), without("settings")));
      },
    }),
  ),

  brokenArchive(
    "exports all data in one part",
    "exports in non-empty, bounded parts of one section each",
    (archive) => ({
      export: async function* () {
        yield await allOf(recordsOf(archive));
      },
    }),
  ),

  brokenArchive(
    "limits parts by the number of records only",
    "exports in non-empty, bounded parts of one section each",
    (archive) => ({
      export: async function* () {
        const part: ArchiveRecord[] = [];
        for (const record of await allOf(recordsOf(archive))) {
          if (part.length === 2_000 || (part[0] !== undefined && part[0].section !== record.section))
            yield part.splice(0);
          part.push(record);
        }
        yield part;
      },
    }),
  ),

  brokenArchive(
    "imports into a database that is not empty",
    ["refuses an import if a permanent record exists", "refuses an import if an audit event exists"],
    (archive, storage) => ({
      import: async (records) =>
        (await storage.repositories.settings.isEmpty()) ? (await allOf(records), "imported") : archive.import(records),
    }),
  ),

  brokenArchive(
    "keeps records imported before an error",
    "rolls back an import if reading its records fails",
    (archive) => ({
      import: async (records) => {
        const read: ArchiveRecord[] = [];
        try {
          for await (const record of records) read.push(record);
        } catch (error) {
          await archive.import(streamOf(read));
          throw error;
        }
        return archive.import(streamOf(read));
      },
    }),
  ),

  brokenArchive(
    "treats an error in the records as their end",
    "rolls back an import if reading its records fails",
    (archive) => ({
      import: (records) =>
        archive.import(
          (async function* () {
            try {
              yield* records;
            } catch {
              // Ignores any error.
            }
          })(),
        ),
    }),
  ),

  brokenArchive(
    "keeps the first of two records with the same ID",
    "rolls back an import with contradictory records",
    (archive) => ({
      import: (records) => {
        const ids = new Set<string>();
        return archive.import(
          changed(records, (record) =>
            record.section !== "objects" ? record : ids.has(record.id) ? null : ids.add(record.id) && record,
          ),
        );
      },
    }),
  ),

  brokenArchive("allows two concurrent imports", "runs one import at a time", (archive, storage) => ({
    import: async (records) => {
      if (!(await storage.repositories.settings.isEmpty())) return "notEmpty";
      return archive.import(streamOf(await allOf(records)));
    },
  })),

  brokenArchive(
    "assigns IDs after the live objects only",
    "never reuses an imported ID, UUID, name or sequence",
    importing((record) => (record.section === "settings" ? { ...record, lastObject: 0 } : record)),
  ),

  brokenArchive(
    "assigns sequences after the existing events only",
    "never reuses an imported ID, UUID, name or sequence",
    importing((record) => (record.section === "settings" ? { ...record, lastAudit: 0 } : record)),
  ),

  brokenArchive(
    "stamps imported objects in the order of their IDs",
    [
      "keeps the order of changes and stamps later changes after the imported ones",
      "exports exactly the imported records",
    ],
    importing((record) =>
      record.section === "objects" || record.section === "tombstones"
        ? { ...record, stamp: objectNumber(record.id) }
        : record,
    ),
  ),

  brokenArchive(
    "imports no links",
    "makes imported data available as if it had been written",
    importing(without("links")),
  ),

  brokenArchive(
    "resets the versions of imported records",
    ["allows writes to imported data", "exports exactly the imported records"],
    importing((record) => (record.section === "tombstones" ? { ...record, version: 1 } : record)),
  ),

  brokenArchive(
    "imports restricted objects as public",
    "makes imported data available as if it had been written",
    importing((record) => (record.section === "objects" ? { ...record, readers: null } : record)),
  ),

  brokenArchive(
    "truncates unstorable values",
    "rolls back an import with unstorable values",
    importing((record) =>
      record.section === "objects"
        ? {
            ...record,
            className: record.className.replaceAll("\0", ""),
            attributes: canonicalJson(JSON.parse(record.attributes.replaceAll("\\u0000", ""))),
          }
        : record,
    ),
  ),

  brokenArchive(
    "exports before the migration",
    "refuses an export before the migration with 705",
    (archive, storage) => ({
      export: async function* () {
        await storage.migrate();
        yield* archive.export();
      },
    }),
  ),

  brokenArchive("migrates on import", "refuses an import before the migration with 705", (archive, storage) => ({
    import: async (records) => {
      await storage.migrate();
      return archive.import(records);
    },
  })),
];
