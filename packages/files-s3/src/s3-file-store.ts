import { type ByteRange, type FileStore, type FoundFile, type SegmentName, ServiceError } from "@sallyport/storage";
import type { S3Bucket } from "./s3-bucket.ts";
import { S3Failure } from "./s3-failure.ts";
import { SegmentReading } from "./segment-reading.ts";
import { SegmentWriting } from "./segment-writing.ts";

export interface S3FileStoreOptions {
  /** Begins the keys of all objects of the store, such as `sales/`. Default: empty. */
  readonly prefix?: string;
  /** Bytes of a part, at least 5 MiB. Each write has two parts in memory at most. Default: 8 MiB. */
  readonly partSize?: number;
}

/** Milliseconds after which an incomplete upload in parts is of a process that no longer runs. */
const abandonedAfter = 86_400_000;

/** Follows all names of segments of a file, and precedes the next file. */
const afterSegments = "/~";

/**
 * Files in a bucket: `<prefix><file>/<segment>`, and `<prefix><file>/created` from the creation of the file. A write is
 * one request, or an upload in parts, so it needs no temporary names. Names are never used twice, so it needs no conditions.
 */
export class S3FileStore implements FileStore {
  private readonly prefix: string;
  private readonly partSize: number;

  constructor(
    private readonly bucket: S3Bucket,
    { prefix = "", partSize = 8_388_608 }: S3FileStoreOptions = {},
  ) {
    this.prefix = prefix;
    this.partSize = partSize;
  }

  /** Asks the bucket. Throws 709 if there is none, and 700 if it cannot be used. */
  async prepare(): Promise<void> {
    await attempt(700, () => this.bucket.list(this.prefix).next());
  }

  async create(file: string): Promise<void> {
    if (!isName(file)) throw new ServiceError(700, { detail: noName });
    await attempt(700, () => this.bucket.put(this.keyOf(file, created)));
  }

  async write({ file, segment }: SegmentName, content: AsyncIterable<Uint8Array>): Promise<number> {
    if (!isName(file) || !isName(segment)) throw new ServiceError(702, { detail: noName });
    const writing = new SegmentWriting(this.bucket, this.keyOf(file, segment), this.partSize);
    try {
      for await (const bytes of content) await attempt(702, () => writing.add(bytes));
      await attempt(702, async () => {
        const marker = this.bucket.lengthOf(this.keyOf(file, created));
        // Awaited below: nothing may be in flight when the write is abandoned.
        marker.catch(() => {});
        await writing.finish();
        if ((await marker) === null) throw new S3Failure("The file was removed.");
      });
      return writing.length;
    } catch (error) {
      await writing.abandon();
      throw error;
    }
  }

  async read({ file, segment }: SegmentName, range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    if (!isName(file) || !isName(segment)) throw new ServiceError(707, { detail: noName });
    const key = this.keyOf(file, segment);
    try {
      if (!(range.offset >= 0 && range.length >= 0)) throw new RangeError("The range is negative.");
      // No range of HTTP is empty.
      if (range.length === 0 && !(((await this.bucket.lengthOf(key)) ?? -1) >= range.offset))
        throw new RangeError(`The object does not have ${range.offset} bytes.`);
      return await SegmentReading.open(range, (rest) => this.bucket.open(key, rest));
    } catch (cause) {
      throw new ServiceError(707, { cause });
    }
  }

  async remove(names: readonly SegmentName[] | { readonly file: string }): Promise<void> {
    if ("file" in names && !isName(names.file)) return;
    try {
      await attempt(702, async () => {
        if ("file" in names) {
          for await (const page of this.bucket.list(`${this.prefix}${names.file}/`))
            await this.bucket.remove(page.map(({ key }) => key));
        } else {
          const valid = names.filter(({ file, segment }) => isName(file) && isName(segment));
          await this.bucket.remove(valid.map(({ file, segment }) => this.keyOf(file, segment)));
        }
      });
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 709)) throw error;
    }
  }

  /** From the first file, it also removes abandoned uploads in parts: the server lists all files regularly. */
  async list({ after, limit }: { readonly after: string | null; readonly limit: number }): Promise<FoundFile[]> {
    const start = after ?? "";
    if (start === "") await this.removeAbandoned();
    const ages = new Map<string, number>();
    // A text that is not a name may contain characters that no key has.
    const from = `${this.prefix}${/^[0-9a-f]*/.exec(start)?.[0]}${afterSegments}`;
    await attempt(702, async () => {
      for await (const page of this.bucket.list(this.prefix, from)) {
        for (const { key, age } of page) {
          const [file = "", segment = "", ...rest] = key.slice(this.prefix.length).split("/");
          if (!isName(file) || file <= start || rest.length > 0 || !(segment === created || isName(segment))) continue;
          if (ages.size === limit && !ages.has(file)) return;
          ages.set(file, Math.min(age, ages.get(file) ?? age));
        }
      }
    });
    return Array.from(ages, ([file, age]) => ({ file, age }));
  }

  async freeBytes(): Promise<null> {
    return null;
  }

  /** Failures wait for the next time: some servers do not list such uploads. */
  private async removeAbandoned(): Promise<void> {
    try {
      for await (const page of this.bucket.uploads(this.prefix))
        for (const upload of page) if (upload.age > abandonedAfter) await this.bucket.abort(upload);
    } catch {}
  }

  private keyOf(file: string, segment: string): string {
    return `${this.prefix}${file}/${segment}`;
  }
}

/** Marks a file. It is not a segment, and follows no segment in the order of keys. */
const created = "created";
const noName = "The name does not have 32 lowercase hex digits.";
const isName = (text: string) => /^[0-9a-f]{32}$/.test(text);

async function attempt<T>(code: 700 | 702, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof S3Failure)) throw new ServiceError(code, { cause });
    throw new ServiceError(cause.code === "NoSuchBucket" ? 709 : code, { detail: cause.message });
  }
}
