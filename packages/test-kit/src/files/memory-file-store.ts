import { type ByteRange, type FileStore, type FoundFile, type SegmentName, ServiceError } from "@sallyport/storage";

/** Files in memory. Stands for any file store in tests of the domain. */
export class MemoryFileStore implements FileStore {
  /** Bytes that can still be stored; `null`: unknown. */
  free: number | null = null;
  private readonly files = new Map<string, { changedAt: number; readonly segments: Map<string, Uint8Array> }>();

  /** `now`: the clock of the store. */
  constructor(private readonly now: () => number = Date.now) {}

  /** Ids of all files. */
  get names(): readonly string[] {
    return [...this.files.keys()].toSorted();
  }

  /** Number of segments of a file. */
  segmentsOf(file: string): number {
    return this.files.get(file)?.segments.size ?? 0;
  }

  /** Changes the bytes of a segment, as someone with access to the store could. */
  tamper({ file, segment }: SegmentName, change: (bytes: Uint8Array) => Uint8Array): void {
    const segments = this.files.get(file)?.segments;
    segments?.set(segment, change(segments.get(segment) ?? new Uint8Array()));
  }

  async create(file: string): Promise<void> {
    this.files.set(file, { changedAt: this.now(), segments: new Map() });
  }

  async write({ file, segment }: SegmentName, content: AsyncIterable<Uint8Array>): Promise<number> {
    const parts: Uint8Array[] = [];
    for await (const bytes of content) parts.push(Uint8Array.from(bytes));
    const found = this.files.get(file);
    if (found === undefined) throw new ServiceError(702);
    if (found.segments.has(segment)) throw new Error("A name is used twice.");
    const bytes = Uint8Array.from(Buffer.concat(parts));
    found.segments.set(segment, bytes);
    found.changedAt = this.now();
    return bytes.length;
  }

  async read({ file, segment }: SegmentName, { offset, length }: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const bytes = this.files.get(file)?.segments.get(segment);
    if (bytes === undefined || bytes.length < offset + length) throw new ServiceError(707);
    return portions(bytes.subarray(offset, offset + length));
  }

  async remove(names: readonly SegmentName[] | { readonly file: string }): Promise<void> {
    if ("file" in names) this.files.delete(names.file);
    else for (const { file, segment } of names) this.files.get(file)?.segments.delete(segment);
  }

  async list({ after, limit }: { readonly after: string | null; readonly limit: number }): Promise<FoundFile[]> {
    return this.names
      .filter((file) => file > (after ?? ""))
      .slice(0, limit)
      .map((file) => ({ file, age: this.now() - (this.files.get(file)?.changedAt ?? 0) }));
  }

  async freeBytes(): Promise<number | null> {
    return this.free;
  }
}

/** In small portions of uneven length, so that readers meet all boundaries. */
async function* portions(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0, length = 1; at < bytes.length; at += length, length = (length % 7) + 2)
    yield bytes.subarray(at, at + length);
}
