import { ServiceError } from "@sallyport/storage";
import { acceptFileName, mediaTypeOf } from "../objects/index.ts";
import type { SessionContext } from "../request/index.ts";
import { ByteReader } from "./byte-reader.ts";
import { type ChunkPart, from, partsOf, union } from "./received-ranges.ts";
import type { ResumableHashes } from "./resumable-hash.ts";
import { writeSegment } from "./segment-bytes.ts";
import { bounded, type PlacedSegment, readStored, tooLarge } from "./stored-files.ts";
import type { UploadLease } from "./upload-lease.ts";
import type { ChunkRange, IncomingFile } from "./upload-state.ts";
import { FileDigests, fileNameOf, receivedRanges, type Upload, type UploadRecord, withDigests } from "./uploads.ts";

/** Limit for one upload, as its ranges are in one record. */
const maximumGaps = 1_000;

export interface ChunkTarget {
  readonly context: SessionContext;
  readonly record: UploadRecord;
  readonly lease: UploadLease;
  readonly hashes: ResumableHashes;
  /** A random name for each segment. */
  readonly newSegment: () => string;
}

/** Receives bytes of an upload into new segments, and computes the upload's next state. Changes no record. */
export class ChunkReceiver {
  /** The segments written so far. */
  readonly written: PlacedSegment[] = [];
  private readonly file: string;

  constructor(private readonly target: ChunkTarget) {
    this.file = fileNameOf(target.record.id);
  }

  /** 600 if the bytes are not exactly those of the range, or differ from those received. 604 without bytes. */
  async receiveRange(range: ChunkRange, incoming: IncomingFile): Promise<Upload> {
    const { record, hashes } = this.target;
    const { upload, digests } = await withDigests(hashes, record.value);
    const reader = new ByteReader(incoming.bytes);
    let { size } = upload;
    try {
      if (await reader.isAtEnd()) throw new ServiceError(604);
      for (const part of partsOf(range, receivedRanges(upload))) {
        const digested = part.first === size ? digests : null;
        await (part.received ? this.compare(part, reader, digested) : this.write(part, reader, digested));
        if (digested !== null) size = part.last + 1;
      }
      if (!(await reader.isAtEnd())) throw new ServiceError(600, { detail: "The body is longer than the range." });
    } finally {
      await reader.close();
    }
    const total = range.total ?? upload.total;
    const beyond = from(size, union([...receivedRanges(upload), range]));
    if (beyond.length > maximumGaps)
      throw new ServiceError(600, { detail: `An upload can have at most ${maximumGaps} gaps.` });
    return { ...upload, ...this.described(incoming), ...digests.save(), total, size, beyond };
  }

  /** 501 without bytes. */
  async receiveAll(incoming: IncomingFile, capacity: number): Promise<Upload> {
    const { context, record, hashes } = this.target;
    const digests = FileDigests.beginWhole(hashes);
    const { maxSize } = context.database.policy.files;
    const size = await this.store(0, this.observed(bounded(incoming.bytes, { maxSize, capacity }), digests));
    if (size === 0) throw new ServiceError(501);
    return { ...record.value, ...this.described(incoming), ...digests.save(), total: size, size, beyond: [] };
  }

  private described({ name, mediaType }: IncomingFile): Partial<Upload> {
    return {
      ...(name === null ? {} : { name: acceptFileName(name, this.target.context.database.policy.files) }),
      ...(mediaType === null ? {} : { mediaType: mediaTypeOf(mediaType) }),
    };
  }

  private async write({ first, last }: ChunkPart, reader: ByteReader, digests: FileDigests | null): Promise<void> {
    const length = last - first + 1;
    const written = await this.store(first, this.observed(reader.take(length), digests));
    if (written < length) throw tooShort();
  }

  private async store(start: number, content: AsyncIterable<Uint8Array>): Promise<number> {
    const { context, newSegment, record } = this.target;
    const name = { file: this.file, segment: newSegment() };
    const length = await writeSegment(context.database, { ...name, key: record.value.key }, content);
    this.written.push({ ...name, start, length });
    return length;
  }

  private async compare({ first, last }: ChunkPart, reader: ByteReader, digests: FileDigests | null): Promise<void> {
    const { context, record } = this.target;
    const length = last - first + 1;
    const stored = { file: this.file, key: record.value.key, range: { offset: first, length } };
    const received = new ByteReader(await readStored(context.database, context.r.records, stored));
    let compared = 0;
    try {
      for await (const bytes of this.observed(reader.take(length), digests)) {
        let at = 0;
        for await (const other of received.take(bytes.length)) {
          if (!isSame(bytes.subarray(at, at + other.length), other))
            throw new ServiceError(600, { detail: "The range contains other bytes than before." });
          at += other.length;
        }
        compared += bytes.length;
      }
    } finally {
      await received.close();
    }
    if (compared < length) throw tooShort();
  }

  private async *observed(
    source: AsyncIterable<Uint8Array>,
    digests: FileDigests | null,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of source) {
      await this.target.lease.keep();
      digests?.update(bytes);
      yield bytes;
    }
  }
}

function tooShort(): ServiceError {
  return new ServiceError(600, { detail: "The body is shorter than the range." });
}

/** A loop: a callback for each byte takes five times as long. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return one.length === other.length;
}

/** 600 for a range that the upload cannot have. 801 for one beyond the maximum size of a file. */
export function acceptRange({ first, last, total }: ChunkRange, upload: Upload, maxSize: number): void {
  const refuse = (detail: string): never => {
    throw new ServiceError(600, { detail });
  };
  if (![first, last, total ?? 0].every(Number.isSafeInteger) || first < 0 || last < first)
    refuse("The range is impossible.");
  if (total !== null && upload.total !== null && total !== upload.total) refuse("The upload has another total.");
  const size = total ?? upload.total;
  const end = Math.max(last, receivedRanges(upload).at(-1)?.last ?? 0) + 1;
  if (size !== null && end > size) refuse("The range is beyond the total.");
  if ((size ?? end) > maxSize) throw tooLarge(maxSize);
}
