import {
  type ByteRange,
  type DeletionRepository,
  type FileStore,
  type ObjectId,
  type RandomSource,
  randomUuid,
  type RecordKind,
  type RecordRepository,
  type SegmentName,
  ServiceError,
  type StoredRecord,
  untilDone,
} from "@sallyport/storage";
import { fileKind, type StoredFile } from "../objects/index.ts";
import type { Database, FilePolicy, UnitOfWork } from "../request/index.ts";
import { type FileBytes, readSegment } from "./segment-bytes.ts";

/**
 * Files of this database without an object: unfinished, replaced, of a deleted object, or being removed. The age of the
 * record is the time without an object. The collector removes no file that the database does not know. Otherwise an empty
 * database, started in front of the files of another one or before its restore, would remove them all.
 */
export const detachedKind: RecordKind<"kept" | "removed"> = "detachedFile";

export async function detach(records: RecordRepository, file: string): Promise<void> {
  await records.put(detachedKind, file, "kept");
}

/** Starts the age of a detached file again. */
export async function renewDetached(unit: UnitOfWork, file: string): Promise<void> {
  await unit.transaction(async ({ records }) => {
    if ((await records.take(detachedKind, file)) === "kept") await detach(records, file);
  });
}

/** Removes a detached file, and then its record. */
export async function removeDetached(store: FileStore, records: RecordRepository, file: string): Promise<void> {
  await store.remove({ file });
  await records.remove(detachedKind, { ids: [file] });
}

export interface Segment {
  readonly segment: string;
  readonly length: number;
  /** CRC-32 of a chunk as it was received: its digests may be computed from the stored bytes. */
  readonly checksum?: number;
}

/** Segments of files, complete or not. The owner is the file. */
export const segmentKind: RecordKind<Segment> = "segment";

/**
 * Sum of the lengths of all segments, in 16 records by the first digit of the file, so that concurrent uploads rarely
 * wait for each other. Growth under a quota is in one more record, because it has to wait: its writers count one after
 * another, so each sees the bytes of all before it.
 */
export const storedBytesKind: RecordKind<number> = "storedBytes";
const limitedShard = "limited";
const shards = [...Array.from("0123456789abcdef"), limitedShard];
export const shardOf = (file: string) => file.charAt(0);

/** A segment with its place in the file. */
export interface PlacedSegment extends SegmentName, Segment {
  readonly start: number;
}

/** Ids contain the end of the segment: the first id after an offset is the segment that contains the offset. */
function segmentId(file: string, end: number): string {
  return `${file}/${String(end).padStart(16, "0")}`;
}

const pageSize = 200;

/** The segments of a file that end after an offset, in order. */
export async function* segmentsFrom(
  records: RecordRepository,
  file: string,
  offset = 0,
): AsyncGenerator<PlacedSegment, void, undefined> {
  for (let after = segmentId(file, offset); ; ) {
    const page = await records.list(segmentKind, { owner: file, after, limit: pageSize });
    for (const { id, value } of page) {
      yield { ...value, file, start: Number(id.slice(file.length + 1)) - value.length };
      after = id;
    }
    if (page.length < pageSize) return;
  }
}

export async function allSegments(records: RecordRepository, file: string): Promise<PlacedSegment[]> {
  const all: PlacedSegment[] = [];
  for await (const each of segmentsFrom(records, file)) all.push(each);
  return all;
}

/** The record of a segment. */
export function segmentRecord({ file, start, ...value }: PlacedSegment) {
  return { id: segmentId(file, start + value.length), owner: file, value };
}

/** Adds a segment in a transaction. `false` if there is one with the same end. */
export async function addSegment(records: RecordRepository, segment: PlacedSegment): Promise<boolean> {
  const { id, owner, value } = segmentRecord(segment);
  return (await records.put(segmentKind, id, value, { owner, ifVersion: "none" })) === "stored";
}

export async function removeSegments(records: RecordRepository, file: string): Promise<void> {
  await records.remove(segmentKind, { owner: file });
}

/** Number of bytes stored in the database's files, unfinished uploads included. */
async function storedBytes(records: RecordRepository): Promise<number> {
  const counts = await records.get(storedBytesKind, shards);
  return counts.reduce((sum, { value }) => sum + value, 0);
}

/**
 * Counts bytes of a file. One of the last calls of a transaction, as others wait for its end. `maxBytes`: see `FilePolicy`;
 * 702 if the database's files would have more. The quota is exact across concurrent transactions in all processes.
 */
export async function countBytes(
  records: RecordRepository,
  file: string,
  change: number,
  { maxBytes }: Pick<FilePolicy, "maxBytes"> = { maxBytes: 0 },
): Promise<void> {
  if (change === 0) return;
  const isLimited = change > 0 && maxBytes > 0;
  const shard = isLimited ? limitedShard : shardOf(file);
  await untilDone(async () => {
    const [record] = await records.get(storedBytesKind, [shard]);
    const ifVersion = record?.version ?? "none";
    const stored = await records.put(storedBytesKind, shard, (record?.value ?? 0) + change, { ifVersion });
    return stored === "stored" ? stored : undefined;
  });
  if (isLimited && (await storedBytes(records)) > maxBytes) throw noCapacity();
}

/**
 * Returns how many bytes can be stored now, so that no more are received in vain; `countBytes` decides. 702 if `length`
 * bytes, or any, do not fit. The store or the database's share of it is full, which is not the fault of the request: no 801.
 */
export async function requireCapacity(
  { files, policy: { files: policy } }: Pick<Database, "files" | "policy">,
  records: RecordRepository,
  length: number | null,
): Promise<number> {
  const free = (await files.freeBytes()) ?? Number.POSITIVE_INFINITY;
  const quota = policy.maxBytes === 0 ? Number.POSITIVE_INFINITY : policy.maxBytes - (await storedBytes(records));
  const capacity = Math.min(free, quota);
  if (capacity < (length ?? 1)) throw noCapacity();
  return capacity;
}

/** Bytes of at most the policy's size (801) and the capacity found before (702). */
export async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  { maxSize, capacity }: { readonly maxSize: number; readonly capacity: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const each of bytes) {
    size += each.length;
    if (size > maxSize) throw tooLarge(maxSize);
    if (size > capacity) throw noCapacity();
    yield each;
  }
}

function noCapacity(): ServiceError {
  return new ServiceError(702, { detail: "The bytes do not fit." });
}

export function tooLarge(maxSize: number): ServiceError {
  return new ServiceError(801, { detail: `A file has at most ${maxSize} bytes.` });
}

/** A range of a file in the store. `key`: see `StoredFile`. */
export interface StoredRange {
  readonly file: string;
  readonly key: string | null;
  readonly range: ByteRange;
}

/**
 * The bytes of a range, from segment to segment. 707 if they are gone, 708 if they cannot be decrypted: before the first
 * byte, or later from the iteration. A caller that does not reach the end calls `return` of the iterator.
 */
export async function readStored(
  database: FileBytes,
  records: RecordRepository,
  stored: StoredRange,
): Promise<AsyncIterable<Uint8Array>> {
  const bytes = inSegments(database, records, stored);
  // A generator that was never started would not release its segment, and a failure must come before the first byte.
  let first: IteratorResult<Uint8Array, void> | null = await bytes.next();
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      const result = first ?? (await bytes.next());
      first = null;
      return result;
    },
    return() {
      first = null;
      return bytes.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* inSegments(
  database: FileBytes,
  records: RecordRepository,
  { file, key, range }: StoredRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { start, end, ...segment } of piecesOf(records, file, range))
    yield* await readSegment(database, { ...segment, key }, { offset: start, length: end - start });
}

/** The segments with the bytes of a range, and where those begin and end in each. */
async function* piecesOf(records: RecordRepository, file: string, { offset, length }: ByteRange) {
  const end = offset + length;
  let next = offset;
  for await (const { start, ...segment } of segmentsFrom(records, file, offset)) {
    if (next >= end) return;
    if (start > next) break;
    const last = Math.min(start + segment.length, end);
    yield { ...segment, start: next - start, end: last - start };
    next = last;
  }
  if (next < end) throw new ServiceError(707, { detail: "A part of the file is missing." });
}

/** A random name in the store. */
export function newStoreName(random: RandomSource): string {
  return randomUuid(random).replaceAll("-", "");
}

/**
 * Makes a detached file the one of an object, in the transaction that writes the object. The collector removes the former
 * bytes. 702 if it has removed the new ones.
 */
export async function putFile(
  records: RecordRepository,
  file: string,
  objectId: ObjectId,
  stored: StoredFile,
): Promise<void> {
  for (const replaced of await records.remove(fileKind, { owner: objectId })) await detach(records, replaced);
  if ((await records.take(detachedKind, file)) !== "kept")
    throw new ServiceError(702, { detail: "The bytes have been removed." });
  await records.put(fileKind, file, stored, { owner: objectId, ifVersion: "none" });
}

/** All records of a kind, page by page. */
export async function* pagesOf<Value>(
  records: RecordRepository,
  kind: RecordKind<Value>,
): AsyncGenerator<StoredRecord<Value>[], void, undefined> {
  for (let after: string | null = null; ; ) {
    const page: StoredRecord<Value>[] = await records.list(kind, { after, limit: pageSize });
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.id ?? null;
  }
}

/** All complete files, page by page. */
export const filePages = (records: RecordRepository) => pagesOf(records, fileKind);

/** The ids of the owning objects that are live or in the recycle bin. */
export async function existingOwners(
  deletion: Pick<DeletionRepository, "targets">,
  files: readonly Pick<StoredRecord, "owner">[],
): Promise<ReadonlySet<ObjectId>> {
  const targets = await deletion.targets(files.flatMap(({ owner }) => owner ?? []));
  return new Set(targets.filter(({ exists }) => exists).map(({ id }) => id));
}
