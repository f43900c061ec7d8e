import { setImmediate as turn } from "node:timers/promises";
import { type ByteRange, type FileStore, type SegmentName, ServiceError } from "@sallyport/storage";
import { ConformanceError, isTrue } from "../assert/index.ts";

export const kibibyte = 1_024;
export const mebibyte = 1_048_576;

/** A new name, as core makes it: 32 lowercase hex digits. */
export function newName(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
}

/** Texts that are not names. Some of them are paths. */
export const hostileNames: readonly string[] = [
  "",
  ".",
  "..",
  "../escape",
  "../../escape",
  `../${"a".repeat(29)}`,
  "/tmp/sallyport-escape",
  `aa/${"a".repeat(29)}`,
  `${"a".repeat(31)}/`,
  `${"a".repeat(30)}\\.`,
  `${"a".repeat(31)}\u0000`,
  `${"a".repeat(32)}\n`,
  "a".repeat(31),
  "a".repeat(33),
  "A".repeat(32),
  "g".repeat(32),
  "%2e%2e%2fescape",
  "__proto__",
  "*",
];

/** A sequence of numbers from 0 to below `limit` that depends on the seed only (mulberry32). */
export function seededNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

/** Bytes that depend on length and seed only, without a short period. */
export function bytesOf(length: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, length);
}

/** The bytes in chunks of these sizes, which repeat. Other work can run between the chunks. */
export async function* chunked(bytes: Uint8Array, ...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let [offset, index] = [0, 0]; offset < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    yield bytes.slice(offset, offset + size);
    offset += size;
    if (index % 16 === 15) await turn();
  }
}

/** The bytes in chunks of 64 KiB, then an error. */
export async function* failingContent(bytes: Uint8Array, error: unknown): AsyncGenerator<Uint8Array> {
  yield* chunked(bytes, 64 * kibibyte);
  throw error;
}

/** The bytes, after a promise. `reached` is called when the store asks for more after the first chunk. */
export async function* pausedContent(
  bytes: Uint8Array,
  reached: () => void,
  until: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* chunked(bytes.subarray(0, bytes.length >> 1), 64 * kibibyte);
  reached();
  await until;
  yield* chunked(bytes.subarray(bytes.length >> 1), 64 * kibibyte);
}

/** Creates a file with a segment of these bytes. */
export async function stored(store: FileStore, bytes: Uint8Array, file = newName()): Promise<SegmentName> {
  const name = { file, segment: newName() };
  await store.create(file);
  await store.write(name, chunked(bytes, 64 * kibibyte));
  return name;
}

/** The bytes of a range. */
export async function bytesAt(store: FileStore, name: SegmentName, range: ByteRange): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await store.read(name, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Asserts that two byte strings are equal. Compares large ones fast and describes the first difference. */
export function sameBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(actual, expected) === 0) return;
  const index = expected.findIndex((byte, at) => byte !== actual[at]);
  const at = index < 0 ? expected.length : index;
  throw new ConformanceError({
    what,
    expected: `${expected.length} bytes, ${expected[at]} at ${at}`,
    got: `${actual.length} bytes, ${actual[at]} at ${at}`,
  });
}

/** Asserts that a segment has exactly these bytes. */
export async function holdsBytes(store: FileStore, name: SegmentName, bytes: Uint8Array, what: string): Promise<void> {
  sameBytes(await bytesAt(store, name, { offset: 0, length: bytes.length }), bytes, what);
  let isLonger = true;
  try {
    await bytesAt(store, name, { offset: 0, length: bytes.length + 1 });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 707) throw error;
    isLonger = false;
  }
  if (isLonger) throw new ConformanceError(`${what}: the segment must have ${bytes.length} bytes, not more.`);
}

/** All files, page by page. */
export async function allFiles(store: FileStore, limit = 100): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const after = names.at(-1) ?? null;
    const page = await store.list({ after, limit });
    if (page.length === 0) return names;
    isTrue(page.length <= limit, `A page of at most ${limit} files must not have ${page.length}`);
    isTrue(
      page.every(({ file }) => after === null || file > after),
      `A page after ${after} must not go back`,
    );
    names.push(...page.map(({ file }) => file));
  }
}
