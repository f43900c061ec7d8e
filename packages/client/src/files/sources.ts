import { unshared } from "../crypto/web-crypto.ts";
import { TransportError } from "../errors.ts";

/** The bytes of a file: in memory, a `Blob` or `File`, a web stream, or any async iterable such as a stream of Node. */
export type FileSource = Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Reads a source. Bytes before the last offset that was read may be gone. */
export interface SourceReader {
  /** Number of bytes, if known. */
  readonly size: number | undefined;
  /** Bytes from an offset on: fewer only at the end of the source. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Releases the source. Does not wait for it. */
  close(): void;
}

/** Throws a `TypeError` for anything that is not a source. */
export function readerOf(source: FileSource, size: number | undefined): SourceReader {
  if (source instanceof Uint8Array) return seekable(source.length, async (first, end) => source.subarray(first, end));
  if (source instanceof Blob)
    return seekable(source.size, async (first, end) => new Uint8Array(await source.slice(first, end).arrayBuffer()));
  if ("getReader" in source) {
    const reader = source.getReader();
    return new StreamReader(
      size,
      () => reader.read(),
      () => void reader.cancel().catch(() => {}),
    );
  }
  if (typeof source?.[Symbol.asyncIterator] !== "function")
    throw new TypeError("A file is a Uint8Array, a Blob, a stream or an async iterable of Uint8Array.");
  const iterator = source[Symbol.asyncIterator]();
  return new StreamReader(
    size,
    () => iterator.next(),
    () => release(source, iterator),
  );
}

function seekable(size: number, slice: (first: number, end: number) => Promise<Uint8Array>): SourceReader {
  return { size, read: (offset, length) => slice(offset, offset + length), close: () => {} };
}

/** The iterator of a stream that waits for bytes ends only when the stream is destroyed. */
function release(source: AsyncIterable<Uint8Array> & { destroy?: () => void }, iterator: AsyncIterator<unknown>): void {
  if (typeof source.destroy === "function") source.destroy();
  else void iterator.return?.().catch(() => {});
}

type Next = () => Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;

/** Reads a stream, and keeps the bytes from the last offset on. */
class StreamReader implements SourceReader {
  readonly #next: Next;
  #pieces: Uint8Array[] = [];
  /** Offset of the first kept byte. */
  #offset = 0;
  #kept = 0;
  #isEnded = false;

  constructor(
    readonly size: number | undefined,
    next: Next,
    readonly close: () => void,
  ) {
    this.#next = next;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#drop(offset - this.#offset);
    while (this.#offset + this.#kept < offset + length && (await this.#pull())) this.#drop(offset - this.#offset);
    if (this.#offset < offset) return new Uint8Array(0);
    return joined(this.#pieces, Math.min(length, this.#kept));
  }

  /** Keeps the next piece. `false` at the end. */
  async #pull(): Promise<boolean> {
    if (this.#isEnded) return false;
    const { done, value } = await this.#next();
    this.#isEnded = done === true;
    if (this.#isEnded) return false;
    if (!(value instanceof Uint8Array)) throw new TypeError("The pieces of a stream must be Uint8Arrays.");
    this.#pieces.push(value);
    this.#kept += value.length;
    return true;
  }

  #drop(count: number): void {
    // The server no longer has bytes that it had acknowledged.
    if (count < 0) throw new TransportError("foreign-answer");
    let rest = Math.min(count, this.#kept);
    this.#offset += rest;
    this.#kept -= rest;
    for (let first = this.#pieces[0]; first !== undefined && rest > 0; first = this.#pieces[0]) {
      if (rest < first.length) this.#pieces[0] = first.subarray(rest);
      else this.#pieces.shift();
      rest -= Math.min(rest, first.length);
    }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && first.length >= length) return first.subarray(0, length);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece.subarray(0, length - at), at);
    at += piece.length;
    if (at >= length) break;
  }
  return whole;
}

/** The SHA-256 as 64 lowercase hex digits. `undefined` if WebCrypto is missing or cannot digest so many bytes. */
export async function sha256(bytes: Uint8Array): Promise<string | undefined> {
  const { crypto } = globalThis as { crypto?: Partial<Crypto> };
  const digest = await crypto?.subtle?.digest("SHA-256", unshared(bytes)).catch(() => undefined);
  if (digest === undefined) return undefined;
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
