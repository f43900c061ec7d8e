import type { FileStoreUnderTest, OpenFileStore } from "@sallyport/conformance-kit";
import { S3Bucket, S3FileStore, type S3FileStoreOptions } from "@sallyport/files-s3";
import { ObjectStorageRelay } from "./object-storage-relay.ts";
import { TestBucket } from "./test-bucket.ts";

export interface S3Files extends OpenFileStore {
  readonly bucket: TestBucket;
  /** The store reaches the object storage through it. */
  readonly relay: ObjectStorageRelay;
}

const prefix = "some/files/";

/** Opens a store in a new bucket. */
export async function openS3Files(options: S3FileStoreOptions & { readonly silence?: number } = {}): Promise<S3Files> {
  const bucket = await TestBucket.create();
  await bucket.put("some/escape", "outside");
  const relay = new ObjectStorageRelay(new URL(bucket.options.endpoint));
  await relay.listen();
  const { silence = 20_000 } = options;
  const open = () =>
    new S3FileStore(new S3Bucket({ ...bucket.options, endpoint: relay.url, silence }), { prefix, ...options });
  return {
    bucket,
    relay,
    store: open(),
    reopen: async () => open(),
    destroy: async () => {
      await bucket.remove().catch((error: { readonly name?: string }) => {
        // A check took it away.
        if (error.name !== "NoSuchBucket") throw error;
      });
      bucket.close();
      await relay.close();
    },
  };
}

/** Adapts a store on object storage to the conformance kit. */
export const s3UnderTest = {
  name: "S3FileStore",
  create: () => openS3Files(),
  takeAway: ({ bucket }) => bucket.remove(),
  obstruct: ({ bucket }, file) => bucket.refuse(`${prefix}${file}/`),
  shorten: ({ bucket }, { file, segment }, length) => bucket.shorten(`${prefix}${file}/${segment}`, length),
  makeOlder: async ({ bucket, relay }, file, milliseconds) => {
    // An object storage does not set the time of an object, so the relay does.
    const older = new Set((await bucket.keys()).filter((key) => key.startsWith(`${prefix}${file}/`)));
    relay.changeText = (text) =>
      text.replaceAll(/<Key>([^<]*)<\/Key><LastModified>([^<]*)</g, (found, key: string, time: string) =>
        older.has(key)
          ? `<Key>${key}</Key><LastModified>${new Date(Date.parse(time) - milliseconds).toISOString()}<`
          : found,
      );
  },
  outside: async ({ bucket }) => (await bucket.keys()).filter((key) => !key.startsWith(prefix)),
} satisfies FileStoreUnderTest<S3Files>;
