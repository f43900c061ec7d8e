import { type ByteRange, type ObjectId, ServiceError, type StoredRecord } from "@sallyport/storage";
import { fileKind, type StoredFile } from "../../objects/index.ts";
import type { AdministrationContext, Uses } from "../../request/index.ts";
import { intact } from "../intact-bytes.ts";
import { union } from "../received-ranges.ts";
import { allSegments, filePages, pagesOf, readStored, segmentsFrom, type StoredRange } from "../stored-files.ts";
import { unreferencedFiles } from "./unreferenced-files.ts";
import { fileNameOf, type Upload, uploadKind, type UploadServices } from "../uploads.ts";

export interface CheckedFile {
  /** Its name in the store. */
  readonly file: string;
  readonly objectId: ObjectId;
  readonly name: string;
  readonly size: number;
  /**
   * `missing`: bytes are absent or cannot be read. `damaged`: they differ from the SHA-256, or cannot be decrypted. `sealed`:
   * no configured master key opens the key of the file, so its bytes were not checked. `null`: none.
   */
  readonly problem: "missing" | "damaged" | "sealed" | null;
}

export interface CheckOptions {
  /** Only whether all bytes are there. Default: `false`, reads and compares them. */
  readonly fast?: boolean;
  /** Called with the number of bytes read since the last call. */
  readonly onBytes?: (length: number) => void;
}

/** Checks all complete files, also those of objects in the recycle bin. */
export async function* checkFiles(
  context: AdministrationContext & Uses<Pick<UploadServices, "hashes">>,
  options: CheckOptions = {},
): AsyncGenerator<CheckedFile, void, undefined> {
  const { records } = context.r;
  for await (const page of filePages(records)) {
    for (const record of page) {
      const { id: file, owner, value } = record;
      const problem = await problemOf(context, record, options);
      // It may have been replaced and collected.
      if (problem === null || (await records.get(fileKind, [file])).length > 0)
        yield { file, objectId: owner ?? "", name: value.name, size: value.size, problem };
    }
  }
}

/**
 * The unfinished uploads without all of their segments, or with `bytes` without their bytes in the store. A chunk changes
 * the upload and its segments in one transaction, so an upload is judged only if it has not changed.
 */
export async function* checkUploads(
  context: AdministrationContext,
  { bytes }: { readonly bytes: boolean },
): AsyncGenerator<{ readonly upload: string; readonly missing: "segments" | "bytes" }, void, undefined> {
  const { records } = context.r;
  for await (const page of pagesOf(records, uploadKind)) {
    for (const { id: upload, value, version } of page) {
      const missing = await missingOf(context, upload, value, bytes);
      if (missing !== null && (await records.get(uploadKind, [upload]))[0]?.version === version)
        yield { upload, missing };
    }
  }
}

/** Names of files in the store that the database does not know. 709: the store is gone. */
export async function* unknownFiles(context: AdministrationContext): AsyncGenerator<string, void, undefined> {
  for await (const { file, state } of unreferencedFiles(context)) if (state === "unknown") yield file;
}

async function problemOf(
  context: AdministrationContext & Uses<Pick<UploadServices, "hashes">>,
  { id: file, value }: StoredRecord<StoredFile>,
  { fast = false, onBytes = () => {} }: CheckOptions,
): Promise<CheckedFile["problem"]> {
  const { database, r } = context;
  let read = 0;
  try {
    if (fast) return (await isPresent(context, file, value)) ? null : "missing";
    const bytes = await readStored(database, r.records, {
      file,
      key: value.key,
      range: { offset: 0, length: value.size },
    });
    for await (const { length } of intact(bytes, value, context.services.hashes)) {
      read += length;
      onBytes(length);
    }
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 707) return read === value.size ? "damaged" : "missing";
    if (error.code === 708) return isSealed(context, value) ? "sealed" : "damaged";
    throw error;
  }
}

/** Returns what an upload lacks of its acknowledged bytes; `null`: nothing. */
async function missingOf(
  context: AdministrationContext,
  upload: string,
  value: Upload,
  bytes: boolean,
): Promise<"segments" | "bytes" | null> {
  const file = fileNameOf(upload);
  const segments = await allSegments(context.r.records, file);
  const stored = union(segments.map(({ start, length }) => ({ first: start, last: start + length - 1 })));
  if (JSON.stringify(stored) !== JSON.stringify(union(value.received))) return "segments";
  try {
    for (const { start, length } of bytes ? segments : [])
      await requireByte(context, { file, key: value.key, offset: start + length - 1 });
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError && [707, 708].includes(error.code))) throw error;
    return isSealed(context, value) ? null : "bytes";
  }
}

/** Reads a byte of a file. Throws 707 if it is missing, 708 if it cannot be decrypted. */
async function requireByte(
  { database, r }: Pick<AdministrationContext, "database" | "r">,
  { file, key, offset }: Pick<StoredRange, "file" | "key"> & Pick<ByteRange, "offset">,
): Promise<void> {
  const bytes = await readStored(database, r.records, { file, key, range: { offset, length: 1 } });
  for await (const _ of bytes);
}

function isSealed({ database: { fileCipher } }: AdministrationContext, { key }: Pick<StoredFile, "key">): boolean {
  return key !== null && fileCipher.currentKey(key) === undefined;
}

/** Reads the last byte of each segment. Throws 707 if one is missing, 708 if one cannot be decrypted. */
async function isPresent(context: AdministrationContext, file: string, { size, key }: StoredFile): Promise<boolean> {
  let next = 0;
  for await (const { start, length } of segmentsFrom(context.r.records, file)) {
    if (start !== next) return false;
    next += length;
    await requireByte(context, { file, key, offset: next - 1 });
  }
  return next === size;
}
