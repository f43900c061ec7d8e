import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { pipeline as finished } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";

/** Standard output, or standard input. */
export const standardStream = "-";

/** Names and values come again and again: more effort makes the file little smaller, and takes several times as long. */
const quickly = constants.Z_BEST_SPEED;

/** Bytes that wait for the disk while more are put together. */
const mostWaiting = 4_194_304;

/** A file that is there already; what is in it is not overwritten. */
export class FileExistsError extends Error {
  override readonly name = "FileExistsError";
}

/**
 * Writes an archive into a new file that nobody but its owner can read, compressed if its name ends in `.gz`, or to standard
 * output. The file appears when it is whole and on the disk.
 */
export async function saveArchive(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (file === standardStream) return finished(bytes, process.stdout, { end: false });
  if ((await stat(file).catch(() => null)) !== null) throw new FileExistsError(`The file ${file} exists.`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    const output = createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true, highWaterMark: mostWaiting });
    if (isCompressed(file)) await finished(bytes, createGzip({ level: quickly }), output);
    else await finished(bytes, output);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The bytes of an archive in a file, or from standard input. */
export function readArchiveFile(file: string): AsyncIterable<Uint8Array> {
  if (file === standardStream) return process.stdin;
  const bytes = createReadStream(file, { highWaterMark: 1_048_576 });
  // Errors come out where the bytes are read.
  return isCompressed(file) ? pipeline(bytes, createGunzip({ chunkSize: 262_144 }), () => {}) : bytes;
}

function isCompressed(file: string): boolean {
  return file.endsWith(".gz");
}
