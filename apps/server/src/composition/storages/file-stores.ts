import { join } from "node:path";
import type { FileStore } from "@sallyport/storage";
import { DiskFileStore } from "@sallyport/files-disk";
import type { S3BucketOptions } from "@sallyport/files-s3";
import type { Configuration } from "../../configuration/index.ts";

/** `prepare` is called before the first use. */
type PreparedFileStore = FileStore & { readonly prepare: () => Promise<void> };

/** The file stores: a folder, or a prefix in the bucket, for each database. */
export class FileStores {
  private readonly opened = new Map<string, PreparedFileStore>();

  constructor(private readonly open: (folder: string) => PreparedFileStore) {}

  /** The store of the database with this alias. */
  of(alias: string): PreparedFileStore {
    let store = this.opened.get(alias);
    // An alias begins with a letter, so no alias names the folder of the empty one.
    if (store === undefined) this.opened.set(alias, (store = this.open(alias === "" ? "_default" : alias)));
    return store;
  }
}

/** Opens the directory or the bucket of the file stores. */
export async function openFileStores({ files }: Pick<Configuration, "files">): Promise<FileStores> {
  return new FileStores(files.store === "s3" ? await openBucket(files.s3) : openDirectory(files.directory));
}

const openDirectory = (directory: string) => (folder: string) => new DiskFileStore(join(directory, folder));

/** The client is large, so it is loaded on demand. The configuration is invalid without the optional settings. */
async function openBucket({ prefix, ...settings }: Configuration["files"]["s3"]) {
  const { S3Bucket, S3FileStore } = await import("@sallyport/files-s3");
  const bucket = new S3Bucket(settings as S3BucketOptions);
  return (folder: string) => new S3FileStore(bucket, { prefix: `${prefix}${folder}/` });
}
