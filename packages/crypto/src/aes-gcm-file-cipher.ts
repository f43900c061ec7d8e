import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import {
  type ByteRange,
  type FileCipher,
  type SegmentCipher,
  type SegmentName,
  ServiceError,
} from "@sallyport/storage";
import { type KeyWrapping } from "@sallyport/core";

const algorithm = "aes-256-gcm";
const purpose = "file key";
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;
/** Bytes of a stored frame: the unit in which a disk is read. */
const frameLength = 65_536;
/** Bytes of a file in a frame. */
const contentLength = frameLength - tagLength;

export interface AesGcmFileCipherOptions {
  /** Whether new files are encrypted. Needs a master key. */
  readonly encryptsNew: boolean;
}

/** Encryption of files with AES-256-GCM. The key of a file is wrapped by the master key. */
export class AesGcmFileCipher implements FileCipher {
  readonly #wrapping: KeyWrapping | null;
  readonly #encryptsNew: boolean;

  /** @param wrapping `null` without a master key: encrypted files cannot be read. */
  constructor(wrapping: KeyWrapping | null, { encryptsNew }: AesGcmFileCipherOptions) {
    this.#wrapping = wrapping;
    this.#encryptsNew = encryptsNew;
  }

  newKey(): string | null {
    if (!this.#encryptsNew) return null;
    if (this.#wrapping === null) throw failure("no master key is configured");
    return this.#wrapping.wrap(randomBytes(keyLength), purpose);
  }

  ofSegment(key: string, name: SegmentName): SegmentCipher {
    if (this.#wrapping === null) throw failure(`file ${name.file} is encrypted, and no master key is configured`);
    const opened = this.#wrapping.unwrap(key, purpose);
    if (opened?.length !== keyLength)
      throw failure(`the key of file ${name.file} was wrapped by a master key that is not configured`);
    return new AesGcmSegmentCipher(opened, name);
  }

  currentKey(key: string): string | undefined {
    return this.#wrapping?.rewrap(key, purpose);
  }
}

/**
 * Frames of AES-256-GCM: ciphertext and tag. All frames but the last are full. A segment has at least one frame, and none
 * after the last.
 *
 * Each segment has a key of its own, derived from that of the file and both names. The name of a segment is random and never
 * used twice, so a place that is written again gets another key, and no frame is valid in another segment or file. The nonce
 * is the number of the frame and whether it is the last, as in STREAM (Hoang, Reyhanitabar, Rogaway, Vizár 2015). So the
 * tag of the last frame authenticates the length of the segment, too.
 */
class AesGcmSegmentCipher implements SegmentCipher {
  readonly #key: KeyObject;
  /** For logs. */
  readonly #place: string;

  constructor(fileKey: Uint8Array, name: SegmentName) {
    const context = `sallyport file 1|${name.file}/${name.segment}`;
    this.#key = createSecretKey(new Uint8Array(hkdfSync("sha256", fileKey, "", context, keyLength)));
    this.#place = `segment ${name.segment} of file ${name.file}`;
  }

  async *encrypt(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let number = 0;
    for await (const { part, isLast } of inParts(bytes, contentLength)) {
      const cipher = createCipheriv(algorithm, this.#key, nonceOf(number, isLast), { authTagLength: tagLength });
      yield cipher.update(part);
      cipher.final();
      yield cipher.getAuthTag();
      number += 1;
    }
  }

  framesOf({ offset, length: size }: ByteRange, length: number): ByteRange {
    const last = lastFrame(length);
    const [first, end] = [frameAt(offset), frameAt(Math.max(0, offset + size - 1)) + 1];
    const stored = end > last ? length + (last + 1) * tagLength : end * frameLength;
    return { offset: first * frameLength, length: stored - first * frameLength };
  }

  async *decrypt(
    frames: AsyncIterable<Uint8Array>,
    { offset, length: size }: ByteRange,
    length: number,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let number = frameAt(offset);
    for await (const { part } of inParts(frames, frameLength)) {
      const content = this.#open(part, number, number === lastFrame(length));
      const start = number * contentLength;
      yield content.subarray(Math.max(0, offset - start), offset + size - start);
      number += 1;
    }
    if (number <= frameAt(offset + size - 1)) throw failure(`frames of ${this.#place} are missing`);
  }

  #open(frame: Uint8Array, number: number, isLast: boolean): Uint8Array {
    try {
      const decipher = createDecipheriv(algorithm, this.#key, nonceOf(number, isLast), { authTagLength: tagLength });
      decipher.setAuthTag(frame.subarray(-tagLength));
      const content = decipher.update(frame.subarray(0, -tagLength));
      decipher.final();
      return content;
    } catch (cause) {
      throw failure(`frame ${number} of ${this.#place} is damaged`, cause);
    }
  }
}

function failure(message: string, cause?: unknown): ServiceError {
  return new ServiceError(708, { cause: new Error(message, { cause }) });
}

/** The frame with a byte of the file. */
function frameAt(offset: number): number {
  return Math.floor(offset / contentLength);
}

function lastFrame(length: number): number {
  return frameAt(Math.max(0, length - 1));
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceLength);
  nonce[0] = isLast ? 1 : 0;
  nonce.writeUIntBE(number, nonceLength - 6, 6);
  return nonce;
}

/** Cuts bytes into parts of a length; the last can be shorter, and is empty without bytes. A part is valid for one step. */
async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<{ readonly part: Uint8Array; readonly isLast: boolean }, void, undefined> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === length) {
        yield { part: buffer, isLast: false };
        filled = 0;
      }
      const added = chunk.subarray(at, at + length - filled);
      buffer.set(added, filled);
      filled += added.length;
      at += added.length;
    }
  }
  yield { part: buffer.subarray(0, filled), isLast: true };
}
