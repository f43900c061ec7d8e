export { S3Bucket, type S3BucketOptions } from "./s3-bucket.ts";
export { S3FileStore, type S3FileStoreOptions } from "./s3-file-store.ts";
