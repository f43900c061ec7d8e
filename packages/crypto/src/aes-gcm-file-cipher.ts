import { hkdfSync, randomBytes, webcrypto } from "node:crypto";
import {
  type ByteRange,
  type FileCipher,
  type SegmentCipher,
  type SegmentName,
  ServiceError,
} from "@sallyport/storage";
import { type KeyWrapping } from "@sallyport/core";

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
/** A frame is as long as a read of the disk. A cipher costs as much for a short frame as for a long one. */
const currentFormat: Format = { number: 2, frameLength: 262_144 };

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
 *
 * Frames are sealed and opened in the thread pool that reads and writes the disk. The next frame is collected meanwhile.
 */
class AesGcmSegmentCipher implements SegmentCipher {
  readonly #frameLength: number;
  /** Bytes of a file in a frame. */
  readonly #contentLength: number;
  readonly #key: Uint8Array;
  /** For logs. */
  readonly #place: string;

  constructor(fileKey: Uint8Array, name: SegmentName, { number, frameLength }: Format) {
    const context = `sallyport file ${number}|${name.file}/${name.segment}`;
    this.#frameLength = frameLength;
    this.#contentLength = frameLength - tagLength;
    this.#key = new Uint8Array(hkdfSync("sha256", fileKey, "", context, keyLength));
    this.#place = `segment ${name.segment} of file ${name.file}`;
  }

  async *encrypt(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const key = await importKey(this.#key, "encrypt");
    yield* oneAhead(inParts(bytes, this.#contentLength), async ({ part, number, isLast }) =>
      webcrypto.subtle.encrypt(algorithmOf(number, isLast), key, part),
    );
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
    const key = await importKey(this.#key, "decrypt");
    const [first, last] = [this.#frameAt(offset), this.#lastFrame(length)];
    let number = first;
    const opened = oneAhead(inParts(frames, this.#frameLength, first), async (frame) => {
      try {
        return await webcrypto.subtle.decrypt(algorithmOf(frame.number, frame.number === last), key, frame.part);
      } catch (cause) {
        throw failure(`frame ${frame.number} of ${this.#place} is damaged`, cause);
      }
    });
    for await (const content of opened) {
      const start = number * this.#contentLength;
      yield content.subarray(Math.max(0, offset - start), offset + size - start);
      number += 1;
    }
    if (number <= this.#frameAt(offset + size - 1)) throw failure(`frames of ${this.#place} are missing`);
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

function importKey(key: Uint8Array, use: "encrypt" | "decrypt"): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("raw", key, "AES-GCM", false, [use]);
}

function algorithmOf(number: number, isLast: boolean): webcrypto.AesGcmParams {
  const nonce = Buffer.alloc(nonceLength);
  nonce[0] = isLast ? 1 : 0;
  nonce.writeUIntBE(number, nonceLength - 6, 6);
  return { name: "AES-GCM", iv: nonce, tagLength: tagLength * 8 };
}

interface Part {
  /** Valid for one step. */
  readonly part: Uint8Array;
  readonly number: number;
  readonly isLast: boolean;
}

/** Cuts bytes into numbered parts of a length; the last can be shorter, and is empty without bytes. */
async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  length: number,
  first = 0,
): AsyncGenerator<Part, void, undefined> {
  let buffer: Buffer | undefined;
  let [part, filled, number]: [Uint8Array, number, number] = [new Uint8Array(0), 0, first];
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === length) {
        yield { part, number, isLast: false };
        number += 1;
        filled = 0;
      }
      const added = chunk.subarray(at, at + length - filled);
      if (added.length === length) part = added;
      else {
        // Most segments are small.
        if (buffer === undefined || buffer.length < filled + added.length)
          buffer = larger(buffer, Math.min(length, Math.max(4 * filled, filled + added.length)));
        buffer.set(added, filled);
        part = buffer.subarray(0, filled + added.length);
      }
      filled += added.length;
      at += added.length;
    }
  }
  yield { part: part.subarray(0, filled), number, isLast: true };
}

function larger(buffer: Buffer | undefined, length: number): Buffer {
  const made = Buffer.allocUnsafeSlow(length);
  buffer?.copy(made);
  return made;
}

/** Passes the results of the work on, in order. The next part is collected while the work on one continues. */
async function* oneAhead(
  parts: AsyncIterable<Part>,
  work: (part: Part) => Promise<ArrayBuffer>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let running: Promise<ArrayBuffer> | undefined;
  for await (const part of parts) {
    const next = work(part);
    // Awaited in the next step.
    next.catch(() => {});
    if (running !== undefined) yield new Uint8Array(await running);
    running = next;
  }
  if (running !== undefined) yield new Uint8Array(await running);
}
