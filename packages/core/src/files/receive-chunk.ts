import { ServiceError } from "@sallyport/storage";
import { acceptFileName, mediaTypeOf } from "../objects/index.ts";
import type { SessionContext, Uses } from "../request/index.ts";
import { ByteReader } from "./byte-reader.ts";
import type { DigestStream } from "./file-hashes.ts";
import { type ChunkPart, gapless, partsOf, union } from "./received-ranges.ts";
import { writeSegment } from "./segment-bytes.ts";
import { bounded, newStoreName, type PlacedSegment, readStored, tooLarge } from "./stored-files.ts";
import type { UploadLease } from "./upload-lease.ts";
import type { ChunkRange, IncomingFile } from "./upload-state.ts";
import { fileNameOf, type Upload, type UploadRecord, type UploadServices } from "./uploads.ts";

/** Limit for one upload, as its ranges are in one record. */
const maximumGaps = 1_000;

export interface ChunkTarget {
  readonly context: SessionContext & Uses<UploadServices>;
  readonly record: UploadRecord;
  readonly lease: UploadLease;
  /** Whether the MD5 is computed. */
  readonly hash: boolean;
}

/** Receives bytes of an upload into new segments, and computes the upload's next state. Changes no record. */
export class ChunkReceiver {
  /** The segments written so far. */
  readonly written: PlacedSegment[] = [];
  private readonly file: string;
  /** The digests of the bytes up to the end of this chunk; `null` if those in front of it are not in them. */
  private stream: DigestStream | null = null;
  private digested = 0;

  constructor(private readonly target: ChunkTarget) {
    this.file = fileNameOf(target.record.id);
  }

  /** 600 if the bytes are not exactly those of the range, or differ from those received. 604 without bytes. */
  async receiveRange(range: ChunkRange, incoming: IncomingFile): Promise<Upload> {
    const { value: upload } = this.target.record;
    const reader = new ByteReader(incoming.bytes);
    try {
      if (await reader.isAtEnd()) throw new ServiceError(604);
      const parts = partsOf(range, upload.received);
      this.digested = gapless(upload.received);
      if (parts.some(({ first }) => first === this.digested)) this.openStream(upload);
      for (const part of parts) {
        const stream = part.first === this.digested ? this.stream : null;
        await (part.received ? this.compare(part, reader, stream) : this.write(part, reader, stream));
        if (stream !== null) this.digested = part.last + 1;
      }
      if (!(await reader.isAtEnd())) throw new ServiceError(600, { detail: "The body is longer than the range." });
    } finally {
      await reader.close();
    }
    const total = range.total ?? upload.total;
    const received = union([...upload.received, { first: range.first, last: range.last }]);
    if (received.filter(({ first }) => first > 0).length > maximumGaps)
      throw new ServiceError(600, { detail: `An upload can have at most ${maximumGaps} gaps.` });
    return { ...upload, ...this.described(incoming), ...(await this.digestsOf(received)), total, received };
  }

  /** 501 without bytes. */
  async receiveAll(incoming: IncomingFile, capacity: number): Promise<Upload> {
    const { context, record } = this.target;
    const upload = { ...record.value, revision: record.value.revision + 1, received: [] };
    const { maxSize } = context.database.policy.files;
    this.openStream(upload);
    const size = await this.store(0, this.observed(bounded(incoming.bytes, { maxSize, capacity }), this.stream));
    if (size === 0) throw new ServiceError(501);
    this.digested = size;
    const received = [{ first: 0, last: size - 1 }];
    return { ...upload, ...this.described(incoming), ...(await this.digestsOf(received)), total: size, received };
  }

  /** Keeps the digests for the next chunk. The bytes are acknowledged. */
  keepDigests({ revision }: Pick<Upload, "revision">): void {
    const { context, record } = this.target;
    if (this.stream !== null)
      context.services.uploadHashes.keep({ id: record.id, revision, size: this.digested }, this.stream);
    this.stream = null;
  }

  dropDigests(): void {
    this.stream?.close();
  }

  private openStream({ revision, received }: Pick<Upload, "revision" | "received">): void {
    const { context, record, hash } = this.target;
    const behind = { id: record.id, revision, size: gapless(received) };
    this.stream = context.services.uploadHashes.behind(behind, hash);
  }

  private async digestsOf(received: Upload["received"]): Promise<Pick<Upload, "md5" | "sha256">> {
    const { md5, sha256, received: before } = this.target.record.value;
    if (this.stream === null && gapless(received) === gapless(before)) return { md5, sha256 };
    if (this.stream === null || this.digested < gapless(received)) return { md5: null, sha256: null };
    return this.stream.digests();
  }

  private described({ name, mediaType }: IncomingFile): Partial<Upload> {
    return {
      ...(name === null ? {} : { name: acceptFileName(name, this.target.context.database.policy.files) }),
      ...(mediaType === null ? {} : { mediaType: mediaTypeOf(mediaType) }),
    };
  }

  private async write({ first, last }: ChunkPart, reader: ByteReader, stream: DigestStream | null): Promise<void> {
    const length = last - first + 1;
    const written = await this.store(first, this.observed(reader.take(length), stream));
    if (written < length) throw tooShort();
  }

  private async store(start: number, content: AsyncIterable<Uint8Array>): Promise<number> {
    const { context, record } = this.target;
    const { hashes, random } = context.services;
    const name = { file: this.file, segment: newStoreName(random) };
    let checksum = 0;
    const summed = async function* () {
      for await (const bytes of content) {
        checksum = hashes.checksum(bytes, checksum);
        yield bytes;
      }
    };
    const length = await writeSegment(context.database, { ...name, key: record.value.key }, summed());
    this.written.push({ ...name, start, length, checksum });
    return length;
  }

  private async compare({ first, last }: ChunkPart, reader: ByteReader, stream: DigestStream | null): Promise<void> {
    const { context, record } = this.target;
    const length = last - first + 1;
    const stored = { file: this.file, key: record.value.key, range: { offset: first, length } };
    const received = new ByteReader(await readStored(context.database, context.r.records, stored));
    let compared = 0;
    try {
      for await (const bytes of this.observed(reader.take(length), stream)) {
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
    stream: DigestStream | null,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of source) {
      await this.target.lease.keep();
      const taken = stream?.update(bytes);
      if (taken !== undefined) await taken;
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
  const end = Math.max(last, upload.received.at(-1)?.last ?? 0) + 1;
  if (size !== null && end > size) refuse("The range is beyond the total.");
  if ((size ?? end) > maxSize) throw tooLarge(maxSize);
}
