import { createHash } from "node:crypto";
import type { DigestedBytes, MultipartUpload, S3Bucket } from "./s3-bucket.ts";

/** Bytes of one request, with their digest. */
class Part {
  /** It grows, because most segments are small. */
  private buffer = Buffer.allocUnsafeSlow(131_072);
  private hash = createHash("sha256");
  private used = 0;

  constructor(private readonly size: number) {}

  get isFull(): boolean {
    return this.used === this.size;
  }

  /** Takes as many bytes as fit. Returns their number. */
  fill(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.size - this.used);
    const needed = this.used + taken.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.size, Math.max(needed, this.buffer.length * 4)));
      this.buffer.copy(larger, 0, 0, this.used);
      this.buffer = larger;
    }
    this.buffer.set(taken, this.used);
    this.hash.update(taken);
    this.used += taken.length;
    return taken.length;
  }

  /** Its bytes. They are valid until it is filled again, from its start. */
  empty(): DigestedBytes {
    const bytes = this.buffer.subarray(0, this.used);
    const sha256 = this.hash.digest("hex");
    [this.hash, this.used] = [createHash("sha256"), 0];
    return { bytes, sha256 };
  }
}

/**
 * A segment that is being written: one request, or parts if it is larger. A part is sent while the next one fills, so two of them
 * are in memory at most.
 */
export class SegmentWriting {
  length = 0;
  private part: Part;
  private spare: Part | undefined;
  private upload: MultipartUpload | undefined;
  private readonly tags: string[] = [];
  private sending: Promise<void> = Promise.resolve();
  /** Whether the object may exist. */
  private isSent = false;

  constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
    private readonly partSize: number,
  ) {
    this.part = new Part(partSize);
  }

  async add(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      if (this.part.isFull) await this.sendPart();
      from += this.part.fill(bytes.subarray(from));
    }
    this.length += bytes.length;
  }

  /** When it resolves, the object is durable. */
  async finish(): Promise<void> {
    if (this.upload === undefined) {
      this.isSent = true;
      return this.bucket.put(this.key, this.part.empty());
    }
    await this.sendPart();
    await this.sending;
    this.isSent = true;
    await this.bucket.complete(this.upload, this.tags);
  }

  /** Removes what is stored, as far as the storage answers. Parts that stay are removed with other abandoned ones. */
  async abandon(): Promise<void> {
    // A part that arrives after the end of the upload would stay.
    await this.sending.catch(() => {});
    if (this.upload !== undefined) await this.bucket.abort(this.upload).catch(() => {});
    if (this.isSent) await this.bucket.remove([this.key]).catch(() => {});
  }

  private async sendPart(): Promise<void> {
    await this.sending;
    const upload = (this.upload ??= await this.bucket.begin(this.key));
    const { part, tags, spare = new Part(this.partSize) } = this;
    [this.part, this.spare] = [spare, part];
    this.sending = this.bucket.putPart(upload, tags.length + 1, part.empty()).then((tag) => void tags.push(tag));
    // The next step awaits it.
    this.sending.catch(() => {});
  }
}
