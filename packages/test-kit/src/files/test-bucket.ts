import { randomBytes } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { S3BucketOptions } from "@sallyport/files-s3";

/** Whether `S3_URL` names an object storage: `http://<access key id>:<secret access key>@<host>:<port>`. */
export const hasObjectStorage = (process.env["S3_URL"] ?? "") !== "";

/** A new bucket of the object storage. Its user needs the right to create buckets. */
export class TestBucket {
  private readonly bucket: { readonly Bucket: string };
  private readonly client: S3Client;

  private constructor(readonly options: S3BucketOptions) {
    const { endpoint, region, accessKeyId, secretAccessKey, bucket } = options;
    const credentials = { accessKeyId, secretAccessKey };
    process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
    this.client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    this.bucket = { Bucket: bucket };
  }

  static async create(): Promise<TestBucket> {
    const { origin, username, password } = new URL(process.env["S3_URL"] ?? "");
    const created = new TestBucket({
      endpoint: origin,
      region: "us-east-1",
      bucket: `sallyport-test-${randomBytes(8).toString("hex")}`,
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
    });
    await created.client.send(new CreateBucketCommand(created.bucket));
    return created;
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const request = { ...this.bucket, ...(token === undefined ? {} : { ContinuationToken: token }) };
      const { Contents: found = [], NextContinuationToken: next } = await this.client.send(
        new ListObjectsV2Command(request),
      );
      keys.push(...found.flatMap(({ Key: key }) => key ?? []));
      token = next;
    }
    return keys;
  }

  /** Uploads in parts that are not complete. */
  async uploads(): Promise<{ readonly key: string; readonly id: string }[]> {
    const { Uploads: found = [] } = await this.client.send(new ListMultipartUploadsCommand(this.bucket));
    return found.map(({ Key: key = "", UploadId: id = "" }) => ({ key, id }));
  }

  async put(key: string, bytes: Uint8Array | string): Promise<void> {
    await this.client.send(new PutObjectCommand({ ...this.bucket, Key: key, Body: bytes }));
  }

  /** Cuts an object to this length. */
  async shorten(key: string, length: number): Promise<void> {
    const { Body: body } = await this.client.send(new GetObjectCommand({ ...this.bucket, Key: key }));
    await this.put(key, ((await body?.transformToByteArray()) ?? new Uint8Array()).subarray(0, length));
  }

  /** Refuses new objects whose keys begin like this. */
  async refuse(prefix: string): Promise<void> {
    const Resource = [`arn:aws:s3:::${this.options.bucket}/${prefix}*`];
    const Statement = [{ Effect: "Deny", Principal: "*", Action: ["s3:PutObject"], Resource }];
    const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
    await this.client.send(new PutBucketPolicyCommand({ ...this.bucket, Policy }));
  }

  async remove(): Promise<void> {
    for (const { key, id } of await this.uploads())
      await this.client.send(new AbortMultipartUploadCommand({ ...this.bucket, Key: key, UploadId: id }));
    for (const key of await this.keys()) await this.client.send(new DeleteObjectCommand({ ...this.bucket, Key: key }));
    await this.client.send(new DeleteBucketCommand(this.bucket));
  }

  close(): void {
    this.client.destroy();
  }
}
