import { ServiceError } from "../errors/index.ts";
import type { ByteRange, SegmentName } from "./file-store.ts";

/** Port: encryption of files at rest. Each file has a key of its own. */
export interface FileCipher {
  /** The key of a new file, wrapped by the master key; `null` if new files are stored as they are. */
  newKey(): string | null;

  /** The cipher of one segment. Throws 708 if the key cannot be unwrapped. */
  ofSegment(key: string, name: SegmentName): SegmentCipher;

  /** The key wrapped by the current master key: itself if it already is. `undefined` if no configured master key unwraps it. */
  currentKey(key: string): string | undefined;
}

/**
 * Encryption of one segment: its bytes are stored as frames that are checked one by one. `length` is the number of bytes in
 * the segment, as recorded.
 */
export interface SegmentCipher {
  encrypt(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;

  /** The place of the frames that contain a range. The frames of the whole segment are all that is stored of it. */
  framesOf(range: ByteRange, length: number): ByteRange;

  /**
   * The bytes of a range, which is not empty, from its frames. The iteration throws 708 instead of the first frame that is
   * not the one which `encrypt` wrote at this place of this segment.
   */
  decrypt(
    frames: AsyncIterable<Uint8Array>,
    range: ByteRange,
    length: number,
  ): AsyncGenerator<Uint8Array, void, undefined>;
}

/** Stores files as they are. */
export const noFileCipher: FileCipher = {
  newKey: () => null,
  ofSegment: () => {
    throw new ServiceError(708, { detail: "Encryption of files is not configured." });
  },
  currentKey: () => undefined,
};
