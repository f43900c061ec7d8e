import { type ByteRange, type FileStore, type SegmentName, ServiceError } from "@sallyport/storage";
import type { Database } from "../request/index.ts";

export type FileBytes = Pick<Database, "files" | "fileCipher">;

/** A segment of a file with the wrapped key of the file; `null` if the file is not encrypted. */
export interface KeyedSegment extends SegmentName {
  readonly key: string | null;
}

/** Writes a segment and returns the length of its content. Errors: see `FileStore.write`; 708 without a usable key. */
export async function writeSegment(
  { files, fileCipher }: FileBytes,
  { key, ...name }: KeyedSegment,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  if (key === null) return files.write(name, content);
  let length = 0;
  const counted = async function* () {
    for await (const bytes of content) {
      length += bytes.length;
      yield bytes;
    }
  };
  await files.write(name, fileCipher.ofSegment(key, name).encrypt(counted()));
  return length;
}

/**
 * Reads a range, which is not empty, of a segment with a recorded length. Throws 707 if the segment is gone, 708 if it is
 * encrypted and has another length than recorded. The iteration throws 708 at damaged bytes.
 */
export async function readSegment(
  { files, fileCipher }: FileBytes,
  { key, length, ...name }: KeyedSegment & { readonly length: number },
  range: ByteRange,
): Promise<AsyncIterable<Uint8Array>> {
  if (key === null) return files.read(name, range);
  const cipher = fileCipher.ofSegment(key, name);
  const frames = cipher.framesOf(range, length);
  const end = cipher.framesOf({ offset: 0, length }, length).length;
  const reading = files.read(name, frames);
  // At the same time, as each question is a round trip with object storage.
  const isLonger = isReadable(files, name, { offset: end, length: 1 });
  const stored = await reading.catch(async (error: unknown) => {
    const isShorter =
      (await isReadable(files, name, { offset: 0, length: 0 })) &&
      !(await isReadable(files, name, { offset: end, length: 0 }));
    throw isShorter ? wrongLength(name, error) : error;
  });
  if (!(await isLonger)) return cipher.decrypt(stored, range, length);
  await stored[Symbol.asyncIterator]().return?.();
  throw wrongLength(name);
}

/** Whether the segment is there and has the range. */
async function isReadable(files: FileStore, name: SegmentName, range: ByteRange): Promise<boolean> {
  try {
    await (await files.read(name, range))[Symbol.asyncIterator]().return?.();
    return true;
  } catch {
    return false;
  }
}

function wrongLength({ file, segment }: SegmentName, cause?: unknown): ServiceError {
  return new ServiceError(708, {
    cause: new Error(`segment ${segment} of file ${file} has another length than recorded`, { cause }),
  });
}
