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

/** How the segments of a file are stored. */
interface Format {
  readonly number: number;
  /** Bytes of a stored frame. */
  readonly frameLength: number;
}

const firstFormat: Format = { number: 1, frameLength: 65_536 };
/** A cipher costs as much for a short frame as for a long one. */
const currentFormat: Format = { number: 2, frameLength: 262_144 };

/** Bytes that a cipher takes at once. The system clears the memory of longer results each time. */
const portionLength = 65_536;
/** Buffers of frames that are kept for the next segment. */
const spareBuffers: Buffer[] = [];
const mostSpare = 16;

export interface AesGcmFileCipherOptions {
  /** Whether new files are encrypted. Needs a master key. */
  readonly encryptsNew: boolean;
}

/**
 * Encryption of files with AES-256-GCM. The key of a file is wrapped by the master key, behind a byte with the number of
 * the format. A key without that byte is of the first format.
 */
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
    return this.#wrapping.wrap(Buffer.concat([Buffer.of(currentFormat.number), randomBytes(keyLength)]), purpose);
  }

  ofSegment(key: string, name: SegmentName): SegmentCipher {
    if (this.#wrapping === null) throw failure(`file ${name.file} is encrypted, and no master key is configured`);
    const opened = this.#wrapping.unwrap(key, purpose);
    if (opened?.length === keyLength) return new AesGcmSegmentCipher(opened, name, firstFormat);
    if (opened?.length === 1 + keyLength && opened[0] === currentFormat.number)
      return new AesGcmSegmentCipher(opened.subarray(1), name, currentFormat);
    throw failure(`the key of file ${name.file} was wrapped by a master key that is not configured`);
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
  readonly #frameLength: number;
  /** Bytes of a file in a frame. */
  readonly #contentLength: number;
  readonly #key: KeyObject;
  /** For logs. */
  readonly #place: string;

  constructor(fileKey: Uint8Array, name: SegmentName, { number, frameLength }: Format) {
    const context = `sallyport file ${number}|${name.file}/${name.segment}`;
    this.#frameLength = frameLength;
    this.#contentLength = frameLength - tagLength;
    this.#key = createSecretKey(new Uint8Array(hkdfSync("sha256", fileKey, "", context, keyLength)));
    this.#place = `segment ${name.segment} of file ${name.file}`;
  }

  async *encrypt(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const { part, number, isLast } of inParts(bytes, { length: this.#contentLength })) {
      const cipher = createCipheriv(algorithm, this.#key, nonceOf(number, isLast), { authTagLength: tagLength });
      for (const portion of portionsOf(part)) yield cipher.update(portion);
      cipher.final();
      yield cipher.getAuthTag();
    }
  }

  framesOf({ offset, length: size }: ByteRange, length: number): ByteRange {
    const last = this.#lastFrame(length);
    const [first, end] = [this.#frameAt(offset), this.#frameAt(Math.max(0, offset + size - 1)) + 1];
    const stored = end > last ? length + (last + 1) * tagLength : end * this.#frameLength;
    return { offset: first * this.#frameLength, length: stored - first * this.#frameLength };
  }

  async *decrypt(
    frames: AsyncIterable<Uint8Array>,
    { offset, length: size }: ByteRange,
    length: number,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const [first, last] = [this.#frameAt(offset), this.#lastFrame(length)];
    let next = first;
    for await (const { part, number } of inParts(frames, { length: this.#frameLength, first, areOwn: true })) {
      let start = number * this.#contentLength;
      for (const content of this.#open(part, number, number === last)) {
        const requested = content.subarray(Math.max(0, offset - start), Math.max(0, offset + size - start));
        if (requested.length > 0) yield requested;
        start += content.length;
      }
      next = number + 1;
    }
    if (next <= this.#frameAt(offset + size - 1)) throw failure(`frames of ${this.#place} are missing`);
  }

  #open(frame: Uint8Array, number: number, isLast: boolean): Uint8Array[] {
    try {
      const decipher = createDecipheriv(algorithm, this.#key, nonceOf(number, isLast), { authTagLength: tagLength });
      decipher.setAuthTag(frame.subarray(-tagLength));
      const opened = portionsOf(frame.subarray(0, -tagLength)).map((portion) => decipher.update(portion));
      decipher.final();
      return opened;
    } catch (cause) {
      throw failure(`frame ${number} of ${this.#place} is damaged`, cause);
    }
  }

  /** The frame with a byte of the file. */
  #frameAt(offset: number): number {
    return Math.floor(offset / this.#contentLength);
  }

  #lastFrame(length: number): number {
    return this.#frameAt(Math.max(0, length - 1));
  }
}

function failure(message: string, cause?: unknown): ServiceError {
  return new ServiceError(708, { cause: new Error(message, { cause }) });
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceLength);
  nonce[0] = isLast ? 1 : 0;
  nonce.writeUIntBE(number, nonceLength - 6, 6);
  return nonce;
}

function portionsOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / portionLength);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * portionLength, (index + 1) * portionLength),
  );
}

interface Part {
  /** Valid for one step. */
  readonly part: Uint8Array;
  readonly number: number;
  readonly isLast: boolean;
}

/**
 * Cuts bytes into numbered parts of a length; the last can be shorter, and is empty without bytes. `areOwn`: the chunks do not
 * change, so parts of one that lies behind the other in memory are not copied.
 */
async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  { length, first = 0, areOwn = false }: { length: number; first?: number; areOwn?: boolean },
): AsyncGenerator<Part, void, undefined> {
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(currentFormat.frameLength);
  let [part, number]: [Uint8Array, number] = [buffer.subarray(0, 0), first];
  try {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; ) {
        if (part.length === length) {
          yield { part, number, isLast: false };
          number += 1;
          part = buffer.subarray(0, 0);
        }
        const added = chunk.subarray(at, at + length - part.length);
        at += added.length;
        part = (areOwn && joined(part, added)) || copied(part, added, buffer);
      }
    }
    yield { part, number, isLast: true };
  } finally {
    if (spareBuffers.length < mostSpare) spareBuffers.push(buffer);
  }
}

/** Both parts, if they lie one behind the other in memory. */
function joined(part: Uint8Array, added: Uint8Array): Uint8Array | null {
  if (part.length === 0) return added;
  if (part.buffer !== added.buffer || part.byteOffset + part.length !== added.byteOffset) return null;
  return new Uint8Array(part.buffer, part.byteOffset, part.length + added.length);
}

function copied(part: Uint8Array, added: Uint8Array, buffer: Buffer): Uint8Array {
  if (part.buffer !== buffer.buffer) buffer.set(part);
  buffer.set(added, part.length);
  return buffer.subarray(0, part.length + added.length);
}
