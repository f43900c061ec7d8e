import type { Digest } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { Account } from "./account-repository.ts";
import type { AppKey } from "./app-key-repository.ts";
import type { RecordedAuditEvent } from "./audit-repository.ts";
import type { StoredRecord } from "./record-repository.ts";
import type { ClassDefinition } from "./entities/class-definition.ts";
import type { ObjectId } from "./entities/object-id.ts";
import type { Links, StoredObject } from "./entities/stored-object.ts";

/**
 * Port: all that a database keeps, as a stream. Neither direction has more than a small part in memory at once, and each goes
 * at the pace of whoever is at the other end.
 */
export interface StorageArchive {
  /**
   * Everything as of one moment, that at which the first part is asked for, whatever is written meanwhile: section by
   * section in the order of `archiveSections`, and in each as the record says. The same contents give the same records on
   * every storage, though maybe cut into other parts. Who stops early lets go of the storage by ending the iteration, as `for await` does.
   * `export` gives parts, while `import` takes records.
   */
  export(): AsyncIterable<ArchivePart>;

  /**
   * Fills a database that was only migrated with the records of an export, in their order: all of them, or nothing if one is
   * refused, the records end with an error, or the process does. That error comes out unchanged. Ids, times, stamps and
   * versions of objects stay; what is written later has higher ids and stamps than there ever were. Others see nothing of it before it is whole, and
   * wait for its end when they want to write.
   *
   * Nothing is asked for, and nothing changes: `notEmpty` if there is anything that an archive could hold, `busy` if
   * another import is at it, which is known without waiting for it. Records that contradict one another, such as an id or a name that comes
   * twice: 307 (`contradictingRecords`). A text that is not storable: 307. An object that is too large: 801.
   */
  import(records: AsyncIterable<ArchiveRecord>): Promise<"imported" | "notEmpty" | "busy">;
}

/** Stands first. */
interface ArchivedSettings {
  readonly section: "settings";
  readonly maintenance: boolean;
  readonly modelGeneration: number;
  readonly macroGeneration: number;
  /** How many objects follow. */
  readonly objects: number;
  /** The highest object number that was ever given; 0: none. */
  readonly lastObject: number;
  /** The highest sequence of an audit event that was ever given; 0: none. */
  readonly lastAudit: number;
}

/** In the order of the model. */
interface ArchivedClass {
  readonly section: "classes";
  readonly definition: ClassDefinition;
}

/** By name. Names are ordered by code points, here and below. */
type ArchivedAppKey = AppKey & { readonly section: "appKeys"; readonly digest: Digest };

/** By object number. */
interface ArchivedObject extends Omit<StoredObject, "attributes"> {
  readonly section: "objects";
  /** Of its last change: a positive whole number. Others are compared with it, and nothing else is known of it. */
  readonly stamp: number;
  /** As the JSON text that `canonicalJson` gives, in exports of every storage. Nobody who passes an object on has to look into it. */
  readonly attributes: string;
}

/**
 * Which ids the attributes of a live object hold, by object number; objects whose attributes hold none are not among them, nor recycled
 * ones. Names are ordered by code points, and ids by their numbers, each once: the order in a collection is that of its value.
 */
interface ArchivedLinks {
  readonly section: "links";
  readonly id: ObjectId;
  readonly links: Links;
}

/** What is left of an object, by object number. `storedAt` is when it went, `version` that of its deletion. */
interface ArchivedTombstone extends Omit<ArchivedObject, "section" | "attributes"> {
  readonly section: "tombstones";
  /** The object that it went together with. */
  readonly root: ObjectId;
  /** Who recycled it; `null` if that is unknown, or if it cannot return. */
  readonly deletedBy: ObjectId | null;
  /** `null` if it cannot return. */
  readonly attributes: string | null;
}

/** By the number of the user object. */
type ArchivedAccount = Omit<Account, "id"> & { readonly section: "accounts"; readonly confusableKey: string };

/** By login name. */
type ArchivedCustomAccount = Omit<Account, "administrator"> & {
  readonly section: "customAccounts";
  readonly confusableKey: string;
};

/** By kind, then by id; without those that have a lifetime. */
interface ArchivedStoredRecord extends Pick<StoredRecord, "id" | "owner" | "value" | "createdAt"> {
  readonly section: "records";
  readonly kind: string;
}

/** By sequence. */
type ArchivedAuditEvent = RecordedAuditEvent & { readonly section: "audit" };

/** Attempts that have yet to become an event, by key. */
type ArchivedTally = Omit<RecordedAuditEvent, "sequence"> & {
  readonly section: "tallies";
  readonly key: string;
};

/**
 * One thing that a database keeps. Whatever ends by itself is not in an archive: sessions with their channels and locks, the
 * blocks of secure log-ins, failed attempts, and records that have a lifetime.
 */
export type ArchiveRecord =
  | ArchivedSettings
  | ArchivedClass
  | ArchivedAppKey
  | ArchivedObject
  | ArchivedLinks
  | ArchivedTombstone
  | ArchivedAccount
  | ArchivedCustomAccount
  | ArchivedStoredRecord
  | ArchivedAuditEvent
  | ArchivedTally;

export type ArchiveSection = ArchiveRecord["section"];

/** The records of one section. */
export type RecordOf<Section extends ArchiveSection> = Extract<ArchiveRecord, { readonly section: Section }>;

/** The order of the sections; those without records are simply not there. */
export const archiveSections = [
  "settings",
  "classes",
  "appKeys",
  "objects",
  "links",
  "tombstones",
  "accounts",
  "customAccounts",
  "records",
  "audit",
  "tallies",
] as const satisfies readonly ArchiveSection[];

/**
 * Records of one section, as an export gives them: at least one, at most `largestPart.records`, and no further one behind
 * `largestPart.characters` of attributes. One by one, a million of them would wait longer for each other than it takes to write them.
 */
export type ArchivePart = readonly ArchiveRecord[];

export const largestPart = { records: 2_000, characters: 1_048_576 };

/** Cuts records into parts. */
export async function* inParts(
  records: Iterable<ArchiveRecord> | AsyncIterable<ArchiveRecord>,
): AsyncGenerator<ArchivePart> {
  let part: ArchiveRecord[] = [];
  let characters = 0;
  for await (const record of records) {
    const isWhole = part.length >= largestPart.records || characters >= largestPart.characters;
    if (part.length > 0 && (isWhole || part[0]?.section !== record.section)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(record);
    if ("attributes" in record) characters += record.attributes?.length ?? 0;
  }
  if (part.length > 0) yield part;
}

/** What an import refuses in which something comes twice that there can be once, or is not what it is said to be: 307. */
export function inconsistentRecords(cause?: unknown): ServiceError {
  return new ServiceError(307, { detail: "The records of the archive contradict one another.", cause });
}
