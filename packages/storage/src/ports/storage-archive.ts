import type { Digest } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { Account } from "./account-repository.ts";
import type { AppKey } from "./app-key-repository.ts";
import type { RecordedAuditEvent } from "./audit-repository.ts";
import type { StoredRecord } from "./record-repository.ts";
import type { ClassDefinition } from "../entities/class-definition.ts";
import type { ObjectId } from "../entities/object-id.ts";
import { acceptObjectSize } from "../entities/size-limits.ts";
import type { Attributes, Links, StoredObject } from "../entities/stored-object.ts";
import { acceptStorable } from "../entities/storable-text.ts";

/**
 * Port: export and import of a whole database as a stream. Both directions keep only a small part in memory and apply
 * backpressure.
 */
export interface StorageArchive {
  /**
   * Exports a consistent snapshot, taken when the first part is requested. Sections follow the order of
   * `archiveSections`; each record type states its own order. Equal contents give equal records on every storage, but
   * parts may be cut differently. To stop early, end the iteration (as `for await` does); this releases the storage.
   * `export` yields parts, `import` takes single records.
   */
  export(): AsyncIterable<ArchiveChunk>;

  /**
   * Imports the records of an export, in their order, into a database that is migrated and otherwise empty. All or
   * nothing: a refused record, an error of the stream or a crash leaves the database unchanged. Errors of the stream
   * are rethrown unchanged. Ids, times, stamps and versions are kept; later writes get higher ids and stamps. Other
   * transactions see nothing before the end, and their writes wait.
   *
   * `notEmpty`: the database has contents of an archive. `busy`: another import is running; returned without waiting.
   * Neither reads a record or changes anything. 307 for inconsistent records, such as a duplicate id or name
   * (`inconsistentRecords`), and for a text that is not storable. 801 for an object that is too large.
   */
  import(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy">;
}

/** The first record. */
interface ArchivedSettings {
  readonly section: "settings";
  readonly maintenance: boolean;
  readonly modelGeneration: number;
  /** The settings generation. The format keeps the name that it had when only macros raised it. */
  readonly macroGeneration: number;
  /** Number of object records that follow. */
  readonly objects: number;
  /** The highest object number ever assigned; 0: none. */
  readonly lastObject: number;
  /** The highest audit sequence ever assigned; 0: none. */
  readonly lastAudit: number;
  /** See `ChangePage.swept`. */
  readonly sweptStamp: number;
}

/** Ordered as in the model. */
interface ArchivedClass {
  readonly section: "classes";
  readonly definition: ClassDefinition;
}

/** Ordered by name. Names sort by code point in all sections. */
type ArchivedAppKey = AppKey & { readonly section: "appKeys"; readonly digest: Digest };

/** Ordered by object number. */
interface ArchivedObject extends Omit<StoredObject, "attributes"> {
  readonly section: "objects";
  /** Stamp of the last change: a positive integer. Only its order matters. */
  readonly stamp: number;
  /** JSON text in the form of `canonicalJson`, on every storage. Consumers can pass it on unparsed. */
  readonly attributes: string;
}

/**
 * Target ids of live objects, ordered by object number. Objects without links and recycled objects are absent. Attribute names
 * sort by code point, ids by number. Each id occurs once; the attribute value has the order of a collection.
 */
interface ArchivedLinks {
  readonly section: "links";
  readonly id: ObjectId;
  readonly links: Links;
}

/** A tombstone, ordered by object number. `storedAt` and `version` are of the deletion. */
interface ArchivedTombstone extends Omit<ArchivedObject, "section" | "attributes"> {
  readonly section: "tombstones";
  /** The root of its deletion. */
  readonly root: ObjectId;
  /** The deleting user; `null` if unknown. */
  readonly deletedBy: ObjectId | null;
  /** `null` if not restorable. */
  readonly attributes: string | null;
}

/** The readers of an object before changes of its readers, see `Change.readersBefore`. Ordered by object number. */
interface ArchivedFormerReaders extends Pick<StoredObject, "id" | "className"> {
  readonly section: "formerReaders";
  /** Ordered by stamp. */
  readonly entries: readonly FormerReaders[];
}

/** The readers of an object before the transaction of a stamp changed them. */
export interface FormerReaders extends Pick<StoredObject, "readers"> {
  readonly stamp: number;
  /** Time of the change, milliseconds since 1970. */
  readonly changedAt: number;
}

/** An object whose tombstone was swept. Ordered by object number. */
interface ArchivedSweptObject extends Pick<StoredObject, "id" | "uuid"> {
  readonly section: "sweptObjects";
}

/** Ordered by the number of the user object. */
type ArchivedAccount = Omit<Account, "id"> & { readonly section: "accounts"; readonly confusableKey: string };

/** Ordered by login name. */
type ArchivedCustomAccount = Omit<Account, "administrator"> & {
  readonly section: "customAccounts";
  readonly confusableKey: string;
};

/** Ordered by kind, then by id. Records with a lifetime are absent. */
interface ArchivedStoredRecord extends Pick<StoredRecord, "id" | "owner" | "value" | "createdAt"> {
  readonly section: "records";
  readonly kind: string;
}

/** Ordered by sequence. */
type ArchivedAuditEvent = RecordedAuditEvent & { readonly section: "audit" };

/** Attempts not yet settled into an event, ordered by key. */
type ArchivedTally = Omit<RecordedAuditEvent, "sequence"> & {
  readonly section: "tallies";
  readonly key: string;
};

/**
 * One record of an archive. Transient data is not archived: sessions with their channels and locks, blocks of secure
 * log-ins, failed attempts, and records with a lifetime.
 */
export type ArchiveRecord =
  | ArchivedSettings
  | ArchivedClass
  | ArchivedAppKey
  | ArchivedObject
  | ArchivedLinks
  | ArchivedTombstone
  | ArchivedFormerReaders
  | ArchivedSweptObject
  | ArchivedAccount
  | ArchivedCustomAccount
  | ArchivedStoredRecord
  | ArchivedAuditEvent
  | ArchivedTally;

export type ArchiveSection = ArchiveRecord["section"];

export type RecordOf<Section extends ArchiveSection> = Extract<ArchiveRecord, { readonly section: Section }>;

/** Order of the sections. Empty sections are absent. */
export const archiveSections = [
  "settings",
  "classes",
  "appKeys",
  "objects",
  "links",
  "tombstones",
  "formerReaders",
  "sweptObjects",
  "accounts",
  "customAccounts",
  "records",
  "audit",
  "tallies",
] as const satisfies readonly ArchiveSection[];

/**
 * Records of one section: at least one, at most `maxChunk.records`. A chunk ends once its attributes reach
 * `maxChunk.characters`. Batches avoid one asynchronous step per record, which would take longer than the write.
 */
export type ArchiveChunk = readonly ArchiveRecord[];

export const maxChunk = { records: 2_000, characters: 1_048_576 };

/** Groups records into chunks. */
export async function* inChunks(
  records: Iterable<ArchiveRecord> | AsyncIterable<ArchiveRecord>,
): AsyncGenerator<ArchiveChunk> {
  let chunk: ArchiveRecord[] = [];
  let characters = 0;
  for await (const record of records) {
    const isFull = chunk.length >= maxChunk.records || characters >= maxChunk.characters;
    if (chunk.length > 0 && (isFull || chunk[0]?.section !== record.section)) {
      yield chunk;
      [chunk, characters] = [[], 0];
    }
    chunk.push(record);
    if ("attributes" in record) characters += record.attributes?.length ?? 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** 307: the import found duplicate or inconsistent records. */
export function inconsistentRecords(cause?: unknown): ServiceError {
  return new ServiceError(307, { detail: "The records of the archive contradict each other.", cause });
}

/** The attributes of an object or a tombstone from their text. 307 for a text that is not storable, 801 if they are too large. */
export function archivedAttributes(text: string): Attributes {
  const attributes = JSON.parse(text) as Attributes;
  acceptStorable(attributes);
  acceptObjectSize(attributes);
  return attributes;
}
