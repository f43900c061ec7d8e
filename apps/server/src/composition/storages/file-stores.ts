import { join } from "node:path";
import type { FileStore } from "@sallyport/core";
import { DiskFileStore } from "@sallyport/files-disk";
import type { S3BucketOptions } from "@sallyport/files-s3";
import type { Configuration } from "../../configuration/index.ts";

/** The file store of each database by alias. `prepare` is called once, at start. */
export type PreparedFileStores = ReadonlyMap<string, FileStore & { readonly prepare: () => Promise<void> }>;

/** Opens the file stores: a folder, or a prefix in the bucket, for each database. */
export async function openFileStores({ databases, files }: Configuration): Promise<PreparedFileStores> {
  const open = files.store === "s3" ? await openBucket(files.s3) : openDirectory(files.directory);
  return new Map(databases.map(({ alias }) => [alias, open(folderOf(alias))]));
}

/** An alias begins with a letter, so no alias names the folder of the empty one. */
function folderOf(alias: string): string {
  return alias === "" ? "_default" : alias;
}

const openDirectory = (directory: string) => (folder: string) => new DiskFileStore(join(directory, folder));

/** The client is large, so it is loaded on demand. The configuration is invalid without the optional settings. */
async function openBucket({ prefix, ...settings }: Configuration["files"]["s3"]) {
  const { S3Bucket, S3FileStore } = await import("@sallyport/files-s3");
  const bucket = new S3Bucket(settings as S3BucketOptions);
  return (folder: string) => new S3FileStore(bucket, { prefix: `${prefix}${folder}/` });
}
