import {
  type ArchiveChunk,
  type ArchiveRecord,
  type RecordOf,
  type Repositories,
  ServiceError,
  type StoredRecord,
} from "@sallyport/storage";
import { type FileDescription, fileKind, type StoredFile } from "../objects/index.ts";
import type { Database, Uses } from "../request/index.ts";
import { intact } from "./intact-bytes.ts";
import { type FileBytes, writeSegment } from "./segment-bytes.ts";
import {
  detachedKind,
  existingOwners,
  filePages,
  newStoreName,
  readStored,
  segmentKind,
  segmentRecord,
  shardOf,
  storedBytesKind,
} from "./stored-files.ts";
import type { UploadServices } from "./uploads.ts";

/** A complete file in an archive: its record, and its bytes. */
export interface ArchivedFile extends Pick<StoredRecord<FileDescription>, "id" | "owner" | "value" | "createdAt"> {
  readonly section: "files";
  /** Can be iterated once, before the next file is requested. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

interface Dumping extends Uses<Pick<UploadServices, "hashes">> {
  readonly database: FileBytes & Pick<Database, "storage">;
}

/**
 * Adds the bytes of files to an export. Passes an export on, and then its complete files by name in the store. Their
 * bytes are read after the export, because it can block the storage. Bytes without an object stay for a day, so that
 * those replaced during the reading can be read. Unfinished uploads are left out, and files whose object was permanently deleted
 * before. The bytes throw 707 if they are missing, damaged, or cannot be decrypted.
 */
export async function* dumpFiles(
  context: Dumping,
  parts: AsyncIterable<ArchiveChunk>,
): AsyncGenerator<ArchiveChunk | ArchivedFile, void, undefined> {
  const { storage } = context.database;
  const unused = await deletedFiles(storage.repositories);
  const files: RecordOf<"records">[] = [];
  for await (const part of parts) {
    for (const record of part) {
      if (record.section !== "records") break;
      if (record.kind === detachedKind) unused.add(record.id);
      else if (record.kind === fileKind && !unused.has(record.id)) files.push(record);
    }
    yield part;
  }
  for (const { id, owner, value, createdAt } of files) {
    const { key, size, sha256, name, mediaType } = value as unknown as StoredFile;
    const file = { id, owner, value: { size, sha256, name, mediaType }, createdAt };
    yield { section: "files", ...file, bytes: bytesOf(context, file, key) };
  }
}

async function* bytesOf(
  { database, services }: Dumping,
  { id: file, owner, value }: Omit<ArchivedFile, "section" | "bytes">,
  key: string | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const bytes = await readStored(database, database.storage.repositories.records, {
      file,
      key,
      range: { offset: 0, length: value.size },
    });
    yield* intact(bytes, value, services.hashes);
  } catch (cause) {
    if (!(cause instanceof ServiceError && [707, 708].includes(cause.code))) throw cause;
    const detail = `The bytes of the file "${value.name}" (object ${owner}) are missing or damaged.`;
    throw new ServiceError(707, { detail, cause });
  }
}

/** Files whose object is neither live nor in the recycle bin, nor ever will be. The collector has not seen them yet. */
async function deletedFiles({ records, deletion }: Repositories): Promise<Set<string>> {
  const deleted = new Set<string>();
  for await (const page of filePages(records)) {
    const existing = await existingOwners(deletion, page);
    for (const { id, owner } of page) if (!existing.has(owner ?? "")) deleted.add(id);
  }
  return deleted;
}

/** The kinds of the records that describe the bytes in a store. */
const storeKinds: ReadonlySet<string> = new Set<string>([detachedKind, fileKind, segmentKind, storedBytesKind]);

interface Restoring extends Uses<Pick<UploadServices, "hashes" | "random">> {
  readonly database: FileBytes;
}

/**
 * Restores the bytes of files into an empty store. Passes the records of an archive on to an import. Writes the files
 * among them into the store, and replaces the records that describe the store. Uses no storage, as the import can block
 * it. If it does not reach the end, it removes what it wrote. 700: the store has files. 700, 702, 709: it fails. 707:
 * bytes differ from the record of their file.
 */
export async function* restoreFiles(
  context: Restoring,
  records: AsyncIterable<ArchiveRecord | ArchivedFile>,
): AsyncGenerator<ArchiveRecord, void, undefined> {
  const { files } = context.database;
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
        yield* await write(context, record);
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

/** Writes a file as one segment, with a key of its own if new files are encrypted. Returns its records. */
async function write({ database, services }: Restoring, { id: file, owner, value, createdAt, bytes }: ArchivedFile) {
  const name = { file, segment: newStoreName(services.random) };
  const key = database.fileCipher.newKey();
  await database.files.create(file);
  const length = await writeSegment(database, { ...name, key }, intact(bytes, value, services.hashes));
  const segment = segmentRecord({ ...name, start: 0, length });
  return [
    { section: "records", createdAt, kind: fileKind, id: file, owner, value: { ...value, key } },
    { section: "records", createdAt, kind: segmentKind, ...segment },
  ] as const;
}
