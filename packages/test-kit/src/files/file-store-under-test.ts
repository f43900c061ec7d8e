import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileStoreUnderTest, OpenFileStore } from "@sallyport/conformance-kit";
import type { FileStore } from "@sallyport/storage";
import { DiskFileStore } from "@sallyport/files-disk";

export interface DiskFiles extends OpenFileStore {
  /** The directory of the store. */
  readonly directory: string;
}

export interface FileStoreTestOptions {
  /** Replaces the store in this directory. */
  readonly wrap?: (store: FileStore, directory: string) => FileStore;
  /** Bytes of the large segments. By default enough to tell a buffered content from a streamed one. */
  readonly largeSize?: number;
  /** Milliseconds for a check. */
  readonly timeLimit?: number;
}

/** Adapts a store on disk to the conformance kit. */
export function fileStoreUnderTest(
  name: string,
  { wrap = (store) => store, largeSize = 67_108_864, timeLimit = 60_000 }: FileStoreTestOptions = {},
) {
  const folderOf = ({ directory }: DiskFiles, file: string) => join(directory, file.slice(0, 2), file);
  return {
    name,
    largeSize,
    timeLimit,
    create: async () => {
      const scratch = await mkdtemp(join(tmpdir(), "sallyport-files-"));
      const directory = join(scratch, "files");
      await writeFile(join(scratch, "escape"), "outside");
      const store = new DiskFileStore(directory);
      await store.prepare();
      return {
        directory,
        store: wrap(store, directory),
        reopen: async () => wrap(new DiskFileStore(directory), directory),
        // A check that failed may still write.
        destroy: () => rm(scratch, { recursive: true, force: true, maxRetries: 10 }),
      };
    },
    takeAway: ({ directory }) => rm(directory, { recursive: true }),
    obstruct: async (opened, file) => {
      // A plain file in the place of its folder: unlike a mode, it also stops the superuser.
      await rm(folderOf(opened, file), { recursive: true });
      await writeFile(folderOf(opened, file), "");
    },
    shorten: (opened, { file, segment }, length) => truncate(join(folderOf(opened, file), segment), length),
    makeOlder: async (opened, file, milliseconds) => {
      const time = new Date(Date.now() - milliseconds);
      await utimes(folderOf(opened, file), time, time);
    },
    outside: async ({ directory }) => {
      const scratch = join(directory, "..");
      await mkdir(scratch, { recursive: true });
      const beside = await readdir(scratch, { recursive: true });
      const outside = beside.filter((path) => path !== "files" && !path.startsWith(join("files", "/")));
      const above = (await readdir(tmpdir())).filter((path) => path.includes("escape"));
      const text = await readFile(join(scratch, "escape"), "utf8").catch(() => "removed");
      return [...outside, ...above, text].toSorted();
    },
  } satisfies FileStoreUnderTest<DiskFiles>;
}
