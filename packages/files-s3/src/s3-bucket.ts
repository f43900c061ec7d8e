import { createHash } from "node:crypto";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import type { ByteRange } from "@sallyport/storage";
import { S3Failure } from "./s3-failure.ts";

export interface S3BucketOptions {
  /** URL of the object storage, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether addresses have the bucket in their path (default), or in their host name. */
  readonly pathStyle?: boolean;
  /** Milliseconds without a byte after which a request fails. Default: 20,000. */
  readonly silence?: number;
}

/** Bytes with their SHA-256 in hex. */
export interface DigestedBytes {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

export interface StoredObject {
  readonly key: string;
  /** Milliseconds since it was stored. */
  readonly age: number;
}

/** An upload in parts that is not complete. Its object does not exist yet. */
export interface MultipartUpload {
  readonly key: string;
  readonly id: string;
}

/** Objects that one request removes at most. */
const batchSize = 1_000;
const connectTimeout = 5_000;
const emptyDigest = createHash("sha256").digest("hex");

/**
 * A bucket. Each method is one request, or one for each page or batch, and tries up to three times. Failures are of class
 * `S3Failure`.
 */
export class S3Bucket {
  private readonly client: S3Client;
  private readonly bucket: { readonly Bucket: string };
  /** The digests of bytes that are being sent. */
  private readonly digests = new WeakMap<object, string>();

  constructor(options: S3BucketOptions) {
    this.client = clientOf(options);
    this.bucket = { Bucket: options.bucket };
    // Before the request is signed. The signature covers the digest, so the server refuses other bytes. The digest was
    // computed while the bytes arrived: the client would compute it at once, and other requests would wait.
    this.client.middlewareStack.add(
      (next) => (args) => {
        const { headers, body } = args.request as { readonly headers: Record<string, string>; readonly body?: string };
        const digest = "Body" in args.input ? this.digests.get(Object(args.input.Body)) : undefined;
        if (digest !== undefined) headers["x-amz-content-sha256"] = digest;
        // Some servers require it.
        if ("Delete" in args.input) headers["content-md5"] = md5Of(body ?? "");
        return next(args);
      },
      { step: "build", priority: "low" },
    );
  }

  async put(key: string, { bytes, sha256 }: DigestedBytes = { bytes: new Uint8Array(), sha256: emptyDigest }) {
    this.digests.set(bytes, sha256);
    await answered(this.client.send(new PutObjectCommand({ ...this.bucket, Key: key, Body: bytes })));
  }

  /** The length of an object; `null` if there is none. */
  async lengthOf(key: string): Promise<number | null> {
    const request = this.client.send(new HeadObjectCommand({ ...this.bucket, Key: key })).catch((error: unknown) => {
      if (error instanceof NotFound || error instanceof NoSuchKey) return null;
      throw error;
    });
    const head = await answered(request);
    return head === null ? null : (head.ContentLength ?? 0);
  }

  /** Opens a range of at least one byte. Fails if the object is shorter. */
  async open(key: string, { offset, length }: ByteRange): Promise<Readable> {
    const range = `${offset}-${offset + length - 1}`;
    const command = new GetObjectCommand({ ...this.bucket, Key: key, Range: `bytes=${range}` });
    const answer = await answered(this.client.send(command));
    const body = answer.Body as Readable;
    // A broken connection is reported by the iteration.
    body.on("error", () => {});
    if (answer.ContentRange?.startsWith(`bytes ${range}/`) === true) return body;
    body.destroy();
    throw new S3Failure("It returned another range.");
  }

  /** Ignores objects that are missing. */
  async remove(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += batchSize) {
      const Objects = keys.slice(from, from + batchSize).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ ...this.bucket, Delete: { Objects, Quiet: true } });
      const { Errors: errors = [] } = await answered(this.client.send(command));
      const failed = errors.find(({ Code: code }) => code !== "NoSuchKey");
      if (failed !== undefined) throw S3Failure.of({ name: failed.Code });
    }
  }

  /** The objects below a prefix and after a key, in pages, in the order of their keys. */
  async *list(prefix: string, after?: string): AsyncGenerator<StoredObject[], void, undefined> {
    const request = { ...this.bucket, Prefix: prefix, ...(after === undefined ? {} : { StartAfter: after }) };
    for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const command = new ListObjectsV2Command({
        ...request,
        ...(next === undefined ? {} : { ContinuationToken: next }),
      });
      const { Contents: objects = [], NextContinuationToken: following } = await answered(this.client.send(command));
      yield objects.flatMap(({ Key: key, LastModified: changed }) =>
        key === undefined ? [] : { key, age: ageOf(changed) },
      );
      next = following;
    }
  }

  async begin(key: string): Promise<MultipartUpload> {
    const { UploadId: id } = await answered(
      this.client.send(new CreateMultipartUploadCommand({ ...this.bucket, Key: key })),
    );
    if (id === undefined) throw new S3Failure("It returned no upload.");
    return { key, id };
  }

  /** Stores a part and returns its tag. */
  async putPart(upload: MultipartUpload, number: number, { bytes, sha256 }: DigestedBytes): Promise<string> {
    this.digests.set(bytes, sha256);
    const command = new UploadPartCommand({ ...this.partOf(upload), PartNumber: number, Body: bytes });
    const { ETag: tag } = await answered(this.client.send(command));
    if (tag === undefined) throw new S3Failure("It returned no tag.");
    return tag;
  }

  /** Makes the object of the parts with these tags. */
  async complete(upload: MultipartUpload, tags: readonly string[]): Promise<void> {
    const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    const command = new CompleteMultipartUploadCommand({ ...this.partOf(upload), MultipartUpload: { Parts } });
    await answered(this.client.send(command));
  }

  /** Removes the parts. */
  async abort(upload: MultipartUpload): Promise<void> {
    await answered(this.client.send(new AbortMultipartUploadCommand(this.partOf(upload))));
  }

  /** Uploads below a prefix that are not complete, in pages. */
  async *uploads(prefix: string): AsyncGenerator<(MultipartUpload & { readonly age: number })[], void, undefined> {
    let [marker, isFirst]: [{ KeyMarker?: string; UploadIdMarker?: string }, boolean] = [{}, true];
    for (; isFirst || marker.KeyMarker !== undefined; isFirst = false) {
      const command = new ListMultipartUploadsCommand({ ...this.bucket, Prefix: prefix, ...marker });
      const page = await answered(this.client.send(command));
      yield (page.Uploads ?? []).flatMap(({ Key: key, UploadId: id, Initiated: begun }) =>
        key === undefined || id === undefined ? [] : { key, id, age: ageOf(begun) },
      );
      const { IsTruncated: isTruncated, NextKeyMarker: key, NextUploadIdMarker: id } = page;
      marker =
        isTruncated !== true || key === undefined ? {} : { KeyMarker: key, ...(id ? { UploadIdMarker: id } : {}) };
    }
  }

  private partOf({ key, id }: MultipartUpload) {
    return { ...this.bucket, Key: key, UploadId: id };
  }
}

function ageOf(date: Date | undefined): number {
  return Math.max(0, Date.now() - (date?.getTime() ?? Date.now()));
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw S3Failure.of(error);
  }
}

/** Everything is set, so that neither the environment nor files of other programs have an effect. */
function clientOf({ pathStyle = true, silence = 20_000, ...options }: S3BucketOptions): S3Client {
  // On Node.js 20, the client prints a warning about its own later versions. A variable of the environment is its only switch.
  // oxlint-disable-next-line no-restricted-properties -- The client offers no option for it. It is written, never read.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";
  // The server bounds its transfers. A bound here would let slow downloads hold up other requests.
  const connections = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: pathStyle,
    requestHandler: {
      connectionTimeout: connectTimeout,
      socketTimeout: silence,
      httpAgent: new HttpAgent(connections),
      httpsAgent: new HttpsAgent(connections),
    },
    maxAttempts: 3,
    retryMode: "standard",
    defaultsMode: "standard",
    authSchemePreference: ["aws.auth#sigv4"],
    // Each request with bytes has their SHA-256 instead, which all servers check.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    disableS3ExpressSessionAuth: true,
    sigv4aSigningRegionSet: [options.region],
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: "sallyport",
  });
}

function md5Of(text: string): string {
  return createHash("md5").update(text).digest("base64");
}
