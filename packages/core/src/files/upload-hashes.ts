import { ServiceError } from "@sallyport/storage";
import { Turns } from "../capacity/index.ts";
import type { Database } from "../request/index.ts";
import type { ByteDigests, DigestStream, FileHashes } from "./file-hashes.ts";
import { readSegment } from "./segment-bytes.ts";
import { segmentsFrom } from "./stored-files.ts";

/** The first bytes of an upload: `size` of them, without a gap. */
export interface UploadedBytes {
  /** The id of the upload. */
  readonly id: string;
  /** The number of times that other bytes have replaced all. */
  readonly revision: number;
  readonly size: number;
}

export interface StoredUpload extends UploadedBytes {
  readonly database: Database;
  /** The person who asks. */
  readonly person: string;
  /** The name in the store, and the wrapped key. */
  readonly file: string;
  readonly key: string | null;
}

/** A stream behind the bytes of an upload. */
interface StreamEntry {
  readonly of: UploadedBytes;
  readonly stream: DigestStream;
  digests: Promise<ByteDigests> | undefined;
  usedAt: number;
}

export interface UploadHashesOptions {
  readonly hashes: FileHashes;
  /** The clock of this process in milliseconds. */
  readonly now: () => number;
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/** Computations from stored bytes take turns by persons, as those of a large file take long. */
const computations = { turns: 2, timeout: 10_000, maxWaiting: 200, detail: "Too many uploads are being read." };
/** Maximum number of uploads with a stream. A stream takes a kilobyte. */
const maxStreams = 1_000;
/** Milliseconds after which an unused stream is dropped, at the next sweep. */
const idleTime = 5 * 60_000;

/**
 * The digests of unfinished uploads, as far as this process has seen their bytes. What it has not seen, because another
 * process received it, or because it came out of order, is read back from the store when someone asks.
 */
export class UploadHashes {
  /** By the id of the upload, the least recently used ones first. */
  private readonly streams = new Map<string, StreamEntry>();
  /** By the id of the upload. */
  private readonly computing = new Map<string, Promise<ByteDigests>>();
  private isSweepDue = false;

  private readonly turns: Turns;

  constructor(private readonly options: UploadHashesOptions) {
    this.turns = new Turns(computations, options.after);
  }

  /** A stream behind these bytes, which its caller keeps or closes. `null` if this process has not seen all of them. */
  behind(bytes: UploadedBytes, withMd5: boolean): DigestStream | null {
    if (bytes.size === 0) return this.options.hashes.open(withMd5);
    return this.entryFor(bytes)?.stream.copy(withMd5) ?? null;
  }

  /** Keeps a stream behind these bytes, instead of an earlier one. */
  keep(bytes: UploadedBytes, stream: DigestStream): void {
    this.drop(bytes.id);
    this.streams.set(bytes.id, { of: bytes, stream, digests: undefined, usedAt: this.options.now() });
    const [oldest] = this.streams.keys();
    if (this.streams.size > maxStreams && oldest !== undefined) this.drop(oldest);
    this.sweepLater();
  }

  drop(id: string): void {
    this.streams.get(id)?.stream.close();
    this.streams.delete(id);
  }

  /** The digests of these bytes; `undefined` if stored bytes must be read for them. */
  cached(bytes: UploadedBytes, withMd5: boolean): Promise<ByteDigests> | undefined {
    const entry = this.entryFor(bytes);
    if (entry === undefined || (withMd5 && !entry.stream.hasMd5)) return undefined;
    entry.digests ??= entry.stream.digests().catch((error: unknown) => {
      this.drop(bytes.id);
      throw error;
    });
    return entry.digests;
  }

  /**
   * The digests of these bytes. Reads those from the store that this process has not seen, one reading at a time, whose success
   * serves all who ask, also if the client of the request leaves. 707, 708: they are damaged or gone. 607: too many others wait.
   */
  async of(upload: StoredUpload, withMd5: boolean): Promise<ByteDigests> {
    for (let other = this.computing.get(upload.id); other !== undefined; other = this.computing.get(upload.id))
      await other.catch(() => {});
    const cached = this.cached(upload, withMd5);
    if (cached !== undefined) return cached;
    const computed = this.compute(upload, withMd5).finally(() => this.computing.delete(upload.id));
    this.computing.set(upload.id, computed);
    return computed;
  }

  private sweepLater(): void {
    if (this.isSweepDue || this.streams.size === 0) return;
    this.isSweepDue = true;
    this.options.after(idleTime, () => {
      this.isSweepDue = false;
      for (const [id, { usedAt }] of this.streams) if (this.options.now() - usedAt >= idleTime) this.drop(id);
      this.sweepLater();
    });
  }

  private entryFor({ id, revision, size }: UploadedBytes): StreamEntry | undefined {
    const entry = this.streams.get(id);
    if (entry === undefined || entry.of.revision !== revision || entry.of.size !== size) return undefined;
    // It becomes the most recently used one.
    this.streams.delete(id);
    this.streams.set(id, entry);
    entry.usedAt = this.options.now();
    return entry;
  }

  private async compute(upload: StoredUpload, withMd5: boolean): Promise<ByteDigests> {
    const taker = { person: upload.person, session: upload.id, onDisconnect: () => () => {} };
    const turn = await this.turns.take(taker, false, () => undefined);
    const seen = this.streams.get(upload.id);
    const isPart = seen?.of.revision === upload.revision && seen.of.size <= upload.size;
    const begun = isPart && (seen.stream.hasMd5 || !withMd5) ? seen : undefined;
    const stream = begun?.stream.copy(withMd5) ?? this.options.hashes.open(withMd5);
    try {
      await this.read(upload, begun?.of.size ?? 0, stream);
      const digests = await stream.digests();
      const { id, revision, size } = upload;
      // Chunks may have gone on during the wait for the turn, or since.
      if (this.streams.get(id) === seen && !isAhead(seen?.of, upload)) this.keep({ id, revision, size }, stream);
      else stream.close();
      return digests;
    } catch (error) {
      stream.close();
      throw error;
    } finally {
      this.turns.end(turn);
    }
  }

  /** Reads stored bytes from an offset on into a stream. Compares each whole segment with its checksum. */
  private async read({ database, file, key, size }: StoredUpload, from: number, stream: DigestStream): Promise<void> {
    // Not that of the request: its client can leave, while others wait for the same bytes.
    const { records } = database.whole.storage.repositories;
    let next = from;
    for await (const { start, checksum, ...segment } of segmentsFrom(records, file, from)) {
      if (next >= size || start > next) break;
      const range = { offset: next - start, length: Math.min(start + segment.length, size) - next };
      let computed = 0;
      for await (const bytes of await readSegment(database, { ...segment, key }, range)) {
        computed = this.options.hashes.checksum(bytes, computed);
        await stream.update(bytes);
      }
      if (checksum !== undefined && range.length === segment.length && checksum !== computed)
        throw new ServiceError(707, { detail: "The bytes of a chunk differ from those received." });
      next += range.length;
    }
    if (next < size) throw new ServiceError(707, { detail: "A part of the file is missing." });
  }
}

/** Whether the bytes of a stream are newer than those of an upload, or more. */
function isAhead(stream: UploadedBytes | undefined, { revision, size }: UploadedBytes): boolean {
  if (stream === undefined) return false;
  return stream.revision > revision || (stream.revision === revision && stream.size > size);
}
