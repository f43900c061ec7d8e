import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline as pipe } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import type { ArchiveChunk, ArchiveRecord, ArchiveSection } from "@sallyport/storage";
import { type ArchivedFile, secretKinds } from "@sallyport/core";

/** Standard output or standard input. */
export const standardStream = "-";

/** Archives are repetitive. Higher levels save little space and take several times as long. */
const compressionLevel = constants.Z_BEST_SPEED;

/** Bytes buffered before a write to disk. */
const writeBufferSize = 4_194_304;

/** The target file exists. It is not overwritten. */
export class FileExistsError extends Error {
  override readonly name = "FileExistsError";
}

/**
 * Writes an archive to a new file readable only by its owner, or to standard output. A name ending in `.gz` compresses
 * it. The file appears when it is complete and synced to disk.
 */
export async function saveArchive(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (file === standardStream) return pipeline(bytes, process.stdout, { end: false });
  if ((await stat(file).catch(() => null)) !== null) throw new FileExistsError(`The file ${file} already exists.`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    const output = createWriteStream(partial, {
      flags: "wx",
      mode: 0o600,
      flush: true,
      highWaterMark: writeBufferSize,
    });
    if (isCompressed(file)) await pipeline(bytes, createGzip({ level: compressionLevel }), output);
    else await pipeline(bytes, output);
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
  return isCompressed(file) ? pipe(bytes, createGunzip({ chunkSize: 262_144 }), () => {}) : bytes;
}

function isCompressed(file: string): boolean {
  return file.endsWith(".gz");
}

/** Optional parts of an archive and their sections. In the section `records`, some kinds belong to them too. */
const sectionsOf = {
  credentials: ["accounts", "appKeys", "customAccounts"],
  keys: [],
} as const satisfies { readonly [content: string]: readonly ArchiveSection[] };

export type OmittedContent = keyof typeof sectionsOf;

/** Removes the records of these optional parts. */
export async function* withoutSecrets(
  chunks: AsyncIterable<ArchiveChunk>,
  contents: readonly OmittedContent[],
): AsyncGenerator<ArchiveChunk> {
  const sections = new Set<ArchiveSection>(contents.flatMap((content) => sectionsOf[content]));
  const kinds = new Set(contents.flatMap((content) => secretKinds[content]));
  const isKept = (record: ArchiveRecord) =>
    !sections.has(record.section) && !(record.section === "records" && kinds.has(record.kind));
  for await (const chunk of chunks) {
    const rest = chunk.filter(isKept);
    if (rest.length > 0) yield rest;
  }
}

/** Passes on the records without the files, whose bytes are skipped. */
export async function* withoutFiles(
  records: AsyncIterable<ArchiveRecord | ArchivedFile>,
): AsyncGenerator<ArchiveRecord> {
  for await (const record of records) if (record.section !== "files") yield record;
}
