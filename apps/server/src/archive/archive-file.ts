import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { pipeline as finished } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import type { ArchiveChunk, ArchiveRecord, ArchiveSection } from "@sallyport/storage";
import { type ArchivedFile, secretKinds } from "@sallyport/core";

/** Standard output or standard input. */
export const standardStream = "-";

/** Archives are repetitive. Higher levels save little space and take several times as long. */
const quickly = constants.Z_BEST_SPEED;

/** Bytes buffered before a write to disk. */
const maxWaiting = 4_194_304;

/** The target file exists. It is not overwritten. */
export class FileExistsError extends Error {
  override readonly name = "FileExistsError";
}

/**
 * Writes an archive to a new file readable only by its owner, or to standard output. A name ending in `.gz` compresses
 * it. The file appears when it is complete and synced to disk.
 */
export async function saveArchive(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (file === standardStream) return finished(bytes, process.stdout, { end: false });
  if ((await stat(file).catch(() => null)) !== null) throw new FileExistsError(`The file ${file} already exists.`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    const output = createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true, highWaterMark: maxWaiting });
    if (isCompressed(file)) await finished(bytes, createGzip({ level: quickly }), output);
    else await finished(bytes, output);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Bytes of an archive file or of standard input. */
export function readArchiveFile(file: string): AsyncIterable<Uint8Array> {
  if (file === standardStream) return process.stdin;
  const bytes = createReadStream(file, { highWaterMark: 1_048_576 });
  // The reader of the stream receives the errors.
  return isCompressed(file) ? pipeline(bytes, createGunzip({ chunkSize: 262_144 }), () => {}) : bytes;
}

function isCompressed(file: string): boolean {
  return file.endsWith(".gz");
}

/** Optional parts of an archive and their sections. In the section `records`, some kinds belong to them too. */
const sectionsOf = {
  credentials: ["accounts", "appKeys", "customAccounts"],
  keys: [],
} as const satisfies { readonly [what: string]: readonly ArchiveSection[] };

export type OmittedContent = keyof typeof sectionsOf;

/** Filters the records of the given optional parts. */
export async function* withoutSecrets(
  parts: AsyncIterable<ArchiveChunk>,
  leftOut: readonly OmittedContent[],
): AsyncGenerator<ArchiveChunk> {
  const sections = new Set<ArchiveSection>(leftOut.flatMap((what) => sectionsOf[what]));
  const kinds = new Set(leftOut.flatMap((what) => secretKinds[what]));
  const isKept = (record: ArchiveRecord) =>
    !sections.has(record.section) && !(record.section === "records" && kinds.has(record.kind));
  for await (const part of parts) {
    const rest = part.filter(isKept);
    if (rest.length > 0) yield rest;
  }
}

/** Passes on the records without the files, whose bytes are skipped. */
export async function* withoutFiles(
  records: AsyncIterable<ArchiveRecord | ArchivedFile>,
): AsyncGenerator<ArchiveRecord> {
  for await (const record of records) if (record.section !== "files") yield record;
}
