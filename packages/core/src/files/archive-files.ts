import type { RandomSource } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { Database } from "../request/index.ts";
import type { ArchiveChunk, ArchiveRecord, RecordOf, RecordValue, StoredRecord } from "../storage/index.ts";
import { intact, type NewSha256 } from "./intact-bytes.ts";
import {
  detachedKind,
  fileKind,
  newStoreName,
  readStored,
  segmentKind,
  segmentRecord,
  shardOf,
  storedBytesKind,
  type StoredFile,
} from "./stored-files.ts";

/** A complete file in an archive: its record, and its bytes. */
export interface ArchivedFile extends Pick<StoredRecord<StoredFile>, "id" | "owner" | "value" | "createdAt"> {
  readonly section: "files";
  /** Can be iterated once, before the next file is requested. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Adds the bytes of files to an export. */
export class DumpFiles {
  constructor(private readonly newSha256: NewSha256) {}

  /**
   * Passes an export on, and then its complete files by name in the store. Their bytes are read after the export, because it
   * can block the storage. Bytes without an object stay for a day, so that those replaced meanwhile can be read. Unfinished
   * uploads are left out. The bytes throw 707 if they are missing or damaged.
   */
  async *dumpFiles(
    database: Pick<Database, "files" | "storage">,
    parts: AsyncIterable<ArchiveChunk>,
  ): AsyncGenerator<ArchiveChunk | ArchivedFile, void, undefined> {
    const unused = new Set<string>();
    const found: RecordOf<"records">[] = [];
    for await (const part of parts) {
      for (const record of part) {
        if (record.section !== "records") break;
        if (record.kind === detachedKind) unused.add(record.id);
        else if (record.kind === fileKind && !unused.has(record.id)) found.push(record);
      }
      yield part;
    }
    for (const { id, owner, value, createdAt } of found) {
      const file = { id, owner, value: storedFileOf(value as unknown as StoredFile), createdAt };
      yield { section: "files", ...file, bytes: this.bytesOf(database, file) };
    }
  }

  private async *bytesOf(
    { files, storage }: Pick<Database, "files" | "storage">,
    { id, owner, value }: Omit<ArchivedFile, "section" | "bytes">,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      const bytes = await readStored(files, storage.repositories.records, id, { offset: 0, length: value.size });
      yield* intact(bytes, value, this.newSha256);
    } catch (cause) {
      if (!(cause instanceof ServiceError && cause.code === 707)) throw cause;
      const detail = `The bytes of the file "${value.name}" (object ${owner}) are missing or damaged.`;
      throw new ServiceError(707, { detail, cause });
    }
  }
}

/** The kinds of the records that describe the bytes in a store. */
const storeKinds: ReadonlySet<string> = new Set<string>([detachedKind, fileKind, segmentKind, storedBytesKind]);

/** Restores the bytes of files into an empty store. */
export class RestoreFiles {
  constructor(
    private readonly random: RandomSource,
    private readonly newSha256: NewSha256,
  ) {}

  /**
   * Passes the records of an archive on to an import. Writes the files among them into the store, and replaces the records
   * that describe the store. Uses no storage, as the import can block it. If it does not reach the end, it removes what it
   * wrote. 700: the store has files. 700, 702, 709: it fails. 707: bytes differ from the record of their file.
   */
  async *restoreFiles(
    { files }: Pick<Database, "files">,
    records: AsyncIterable<ArchiveRecord | ArchivedFile>,
  ): AsyncGenerator<ArchiveRecord, void, undefined> {
    if ((await files.list({ after: null, limit: 1 })).length > 0)
      throw new ServiceError(700, {
        detail: "The file store is not empty. Files are restored into an empty one only.",
      });
    const written: string[] = [];
    const totals = new Map<string, Pick<RecordOf<"records">, "value" | "createdAt">>();
    let isComplete = false;
    try {
      for await (const record of records) {
        if (record.section === "files") {
          const { id: file, value, createdAt } = record;
          written.push(file);
          yield* await this.write(files, record);
          const before = totals.get(shardOf(file))?.value ?? 0;
          totals.set(shardOf(file), { value: Number(before) + value.size, createdAt });
        } else if (record.section !== "records" || !storeKinds.has(record.kind)) yield record;
      }
      for (const [id, total] of totals) yield { section: "records", kind: storedBytesKind, id, owner: null, ...total };
      isComplete = true;
    } finally {
      // After the end, the import may have been committed, and its records name the files.
      if (!isComplete) for (const file of written) await files.remove({ file }).catch(() => {});
    }
  }

  /** Writes a file as one segment. Returns its records. */
  private async write(files: Database["files"], { id: file, owner, value, createdAt, bytes }: ArchivedFile) {
    const name = { file, segment: newStoreName(this.random) };
    await files.create(file);
    const length = await files.write(name, intact(bytes, value, this.newSha256));
    const segment = segmentRecord({ ...name, start: 0, length });
    return [
      { section: "records", createdAt, kind: fileKind, id: file, owner, value: storedFileOf(value) },
      { section: "records", createdAt, kind: segmentKind, ...segment },
    ] as const;
  }
}

/** Without members of other versions. */
function storedFileOf({ size, sha256, name, mediaType }: StoredFile): RecordValue & StoredFile {
  return { size, sha256, name, mediaType };
}
