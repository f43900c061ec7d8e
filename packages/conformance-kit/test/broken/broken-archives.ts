import {
  type ArchiveRecord,
  canonicalJson,
  inParts,
  objectNumber,
  type Storage,
  type StorageArchive,
} from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage } from "./broken-adapter.ts";

/** A storage in memory whose archive has a fault. */
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

/** An export whose records are changed on their way. */
function exporting(
  change: (record: ArchiveRecord) => ArchiveRecord | null,
): (archive: StorageArchive) => Partial<StorageArchive> {
  return (archive) => ({ export: () => inParts(changed(recordsOf(archive), change)) });
}

/** An import whose records are changed on their way. */
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

/** Gives the records of a section in another order. */
function sorted(
  section: ArchiveRecord["section"],
  order: (one: ArchiveRecord, other: ArchiveRecord) => number,
): (archive: StorageArchive) => Partial<StorageArchive> {
  return (archive) => ({
    export: () => inParts(reordered(recordsOf(archive), section, order)),
  });
}

async function* reordered(
  records: AsyncIterable<ArchiveRecord>,
  section: ArchiveRecord["section"],
  order: (one: ArchiveRecord, other: ArchiveRecord) => number,
): AsyncGenerator<ArchiveRecord> {
  const held: ArchiveRecord[] = [];
  for await (const record of records) {
    if (record.section === section) held.push(record);
    else {
      yield* held.splice(0).toSorted(order);
      yield record;
    }
  }
  yield* held.toSorted(order);
}

/** What an archive exports, one by one. */
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

/** Faults in what is exported and imported. */
export const brokenArchives: readonly BrokenAdapter[] = [
  brokenArchive(
    "forgets what is gone",
    "holds what is left of objects, and the highest number that was given",
    exporting(without("tombstones")),
  ),

  brokenArchive(
    "orders objects as it has them",
    "holds objects as they are, by their numbers, with their links",
    sorted("objects", (one, other) => ("stamp" in one && "stamp" in other ? one.stamp - other.stamp : 0)),
  ),

  brokenArchive(
    "orders records by units of UTF-16",
    [
      "holds records by kind and id in the order of code points, but for those that have a lifetime",
      "is the same when it was imported and is exported again",
    ],
    sorted("records", (one, other) =>
      "kind" in one && "kind" in other && `${one.kind} ${one.id}` < `${other.kind} ${other.id}` ? -1 : 1,
    ),
  ),

  brokenArchive(
    "writes attributes as they come",
    [
      "holds objects as they are, by their numbers, with their links",
      "is the same when it was imported and is exported again",
    ],
    exporting((record) =>
      record.section === "objects" ? { ...record, attributes: JSON.stringify(JSON.parse(record.attributes)) } : record,
    ),
  ),

  brokenArchive(
    "stamps by the number of the object",
    "holds the stamps of changes, of objects and of tombstones",
    exporting((record) =>
      record.section === "objects" || record.section === "tombstones"
        ? { ...record, stamp: objectNumber(record.id) }
        : record,
    ),
  ),

  brokenArchive(
    "takes the highest number of an object that is there for the last",
    "holds what is left of objects, and the highest number that was given",
    exporting((record) => (record.section === "settings" ? { ...record, lastObject: record.objects } : record)),
  ),

  brokenArchive(
    "carries the first secret of an account",
    "holds app keys by their names, and secrets as they are stored",
    exporting((record) => (record.section === "accounts" ? { ...record, secret: "$argon2id$1" } : record)),
  ),

  brokenArchive(
    "forgets custom accounts",
    ["holds custom accounts by their names", "is the same when it was imported and is exported again"],
    exporting(without("customAccounts")),
  ),

  brokenArchive(
    "forgets records",
    [
      "holds records by kind and id in the order of code points, but for those that have a lifetime",
      "is the same when it was imported and is exported again",
    ],
    exporting(without("records")),
  ),

  brokenArchive(
    "forgets whose records are",
    [
      "holds records by kind and id in the order of code points, but for those that have a lifetime",
      "is the same when it was imported and is exported again",
    ],
    exporting((record) => (record.section === "records" ? { ...record, owner: null } : record)),
  ),

  brokenArchive(
    "begins the generation of macros anew",
    ["is there as if it had been written", "can be worked on at once"],
    importing((record) => (record.section === "settings" ? { ...record, macroGeneration: 0 } : record)),
  ),

  brokenArchive(
    "reads each section when it comes to it",
    "is of one moment, whatever is written while it is read",
    (archive) => ({
      export: async function* () {
        const [settings] = await allOf(recordsOf(archive));
        if (settings !== undefined) yield [settings];
        yield* inParts(changed(recordsOf(archive), without("settings")));
      },
    }),
  ),

  brokenArchive("exports all at once", "comes in parts of one section each, none empty and none large", (archive) => ({
    export: async function* () {
      yield await allOf(recordsOf(archive));
    },
  })),

  brokenArchive(
    "exports by the number of records alone",
    "comes in parts of one section each, none empty and none large",
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
    "fills what is not empty",
    ["is refused when there is a record that stays", "is refused when there is an audit"],
    (archive, storage) => ({
      import: async (records) =>
        (await storage.repositories.settings.isEmpty()) ? (await allOf(records), "imported") : archive.import(records),
    }),
  ),

  brokenArchive(
    "keeps what came before an error",
    "leaves nothing behind when the records end with an error",
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
    "takes an error for the end",
    "leaves nothing behind when the records end with an error",
    (archive) => ({
      import: (records) =>
        archive.import(
          (async function* () {
            try {
              yield* records;
            } catch {
              // Whatever it was.
            }
          })(),
        ),
    }),
  ),

  brokenArchive(
    "keeps the first of two with the same id",
    "leaves nothing behind of records that contradict one another",
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

  brokenArchive("lets two import at once", "is one at a time", (archive, storage) => ({
    import: async (records) => {
      if (!(await storage.repositories.settings.isEmpty())) return "notEmpty";
      return archive.import(streamOf(await allOf(records)));
    },
  })),

  brokenArchive(
    "gives ids behind those that are there",
    "gives no id, UUID, name or sequence a second time",
    importing((record) => (record.section === "settings" ? { ...record, lastObject: 0 } : record)),
  ),

  brokenArchive(
    "gives sequences behind those that are there",
    "gives no id, UUID, name or sequence a second time",
    importing((record) => (record.section === "settings" ? { ...record, lastAudit: 0 } : record)),
  ),

  brokenArchive(
    "stamps what it imports in the order of ids",
    [
      "keeps the order of changes, and stamps what comes later behind all of them",
      "is the same when it was imported and is exported again",
    ],
    importing((record) =>
      record.section === "objects" || record.section === "tombstones"
        ? { ...record, stamp: objectNumber(record.id) }
        : record,
    ),
  ),

  brokenArchive("imports no links", "is there as if it had been written", importing(without("links"))),

  brokenArchive(
    "starts versions anew",
    ["can be worked on at once", "is the same when it was imported and is exported again"],
    importing((record) => (record.section === "tombstones" ? { ...record, version: 1 } : record)),
  ),

  brokenArchive(
    "shows everybody what only some may see",
    "is there as if it had been written",
    importing((record) => (record.section === "objects" ? { ...record, readers: null } : record)),
  ),

  brokenArchive(
    "cuts what cannot be stored",
    "leaves nothing behind of what cannot be stored",
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

  brokenArchive("exports before it is migrated", "is refused with 705 before the migration", (archive, storage) => ({
    export: async function* () {
      await storage.migrate();
      yield* archive.export();
    },
  })),

  brokenArchive("migrates to import", "is not imported with 705 before the migration", (archive, storage) => ({
    import: async (records) => {
      await storage.migrate();
      return archive.import(records);
    },
  })),
];
