import { constants } from "node:fs";
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type ByteRange, type FileStore, type FoundFile, type SegmentName, ServiceError } from "@sallyport/storage";
import { SegmentReading } from "./segment-reading.ts";

/** Modes of folders and files: contents are private to the user of the server. */
const [folderMode, fileMode] = [0o700, 0o600];

/** Bytes that are collected before they are written, so that small chunks do not cost a system call each. */
const bufferSize = 131_072;

/**
 * Files in a directory: `<directory>/<first two hex digits>/<file>/<segment>`. A segment has the suffix `.part` until it
 * is complete and durable. The directory is made by `prepare` only: where a volume is not mounted, `create` and `write`
 * throw 709 instead of filling the disk below it.
 */
export class DiskFileStore implements FileStore {
  /** The first-level folders whose entries in the directory this store has made durable. */
  private readonly durable = new Set<string>();
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = resolve(directory);
  }

  /** Makes the directory and its parents if they are missing. Throws 700 if it cannot be made or used. */
  async prepare(): Promise<void> {
    try {
      const first = await mkdir(this.directory, { mode: folderMode, recursive: true });
      if (first !== undefined) {
        for (let path = this.directory; path.length >= first.length; path = dirname(path))
          await syncFolder(dirname(path));
      }
      await readdir(this.directory);
      await access(this.directory, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new ServiceError(700, { detail: reasonOf(cause), cause });
    }
  }

  async create(file: string): Promise<void> {
    if (!isName(file)) throw new ServiceError(700, { detail: noName });
    const folder = this.folderOf(file);
    const parent = dirname(folder);
    try {
      const isNew = await makeFolder(parent);
      // Another server may have made it and crashed before the entry was durable.
      if (isNew || !this.durable.has(parent)) {
        await syncFolder(this.directory);
        this.durable.add(parent);
      }
      await mkdir(folder, { mode: folderMode });
      await syncFolder(parent);
    } catch (error) {
      throw await this.failure(700, error);
    }
  }

  async write(name: SegmentName, content: AsyncIterable<Uint8Array>): Promise<number> {
    if (!isName(name.file) || !isName(name.segment)) throw new ServiceError(702, { detail: noName });
    const folder = this.folderOf(name.file);
    const path = join(folder, name.segment);
    let written = `${path}.part`;
    const handle = await this.storing(() => open(written, "wx", fileMode));
    try {
      const length = await this.fill(handle, content);
      await this.storing(async () => {
        await handle.sync();
        await handle.close();
        await rename(written, path);
        written = path;
        await syncFolder(folder);
      });
      return length;
    } catch (error) {
      await handle.close().catch(() => {});
      await unlink(written).catch(() => {});
      throw error;
    }
  }

  async read(name: SegmentName, { offset, length }: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    if (!isName(name.file) || !isName(name.segment)) throw new ServiceError(707, { detail: noName });
    let handle: FileHandle | undefined;
    try {
      handle = await open(join(this.folderOf(name.file), name.segment), constants.O_RDONLY | constants.O_NOFOLLOW);
      const stats = await handle.stat();
      if (!(stats.isFile() && offset >= 0 && length >= 0 && offset + length <= stats.size))
        throw new RangeError(`The range ${offset}+${length} is not in a file of ${stats.size} bytes.`);
      return new SegmentReading(handle, { offset, length });
    } catch (cause) {
      await handle?.close().catch(() => {});
      throw new ServiceError(707, { cause });
    }
  }

  async remove(names: readonly SegmentName[] | { readonly file: string }): Promise<void> {
    if ("file" in names) {
      if (!isName(names.file)) return;
      // Retries: a write into the file can add a segment between the removal of the segments and that of the folder.
      const options = { recursive: true, force: true, maxRetries: 3, retryDelay: 10 };
      await this.removing(() => rm(this.folderOf(names.file), options));
      return;
    }
    for (const { file, segment } of names) {
      if (isName(file) && isName(segment)) await this.removing(() => unlink(join(this.folderOf(file), segment)));
    }
  }

  async list({ after, limit }: { readonly after: string | null; readonly limit: number }): Promise<FoundFile[]> {
    const start = after ?? "";
    const files: FoundFile[] = [];
    try {
      // One first-level folder at a time: a directory has no order, so its names must be sorted in memory.
      for (const prefix of (await readdir(this.directory)).filter(isPrefix).toSorted()) {
        if (prefix < start.slice(0, 2)) continue;
        const folder = join(this.directory, prefix);
        const names = (await ifPresent(() => readdir(folder))) ?? [];
        for (const file of names.filter((name) => isName(name) && name.startsWith(prefix) && name > start).toSorted()) {
          if (files.length >= limit) return files;
          const stats = await ifPresent(() => lstat(join(folder, file)));
          if (stats?.isDirectory()) files.push({ file, age: Math.max(0, Date.now() - stats.mtimeMs) });
        }
      }
      return files;
    } catch (error) {
      throw await this.failure(702, error);
    }
  }

  async freeBytes(): Promise<number | null> {
    try {
      const { bavail, bsize } = await statfs(this.directory);
      return bavail * bsize;
    } catch (error) {
      throw await this.failure(702, error);
    }
  }

  private folderOf(file: string): string {
    return join(this.directory, file.slice(0, 2), file);
  }

  /**
   * Writes the content and returns its length. One buffer is filled while the other is written. An error of the content passes
   * unchanged.
   */
  private async fill(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<number> {
    let [buffer, spare]: [Buffer, Buffer | null] = [Buffer.allocUnsafeSlow(bufferSize), null];
    let [length, buffered] = [0, 0];
    let writing: Promise<void> = Promise.resolve();
    const write = async (bytes: Uint8Array) => {
      await writing;
      writing = this.storing(() => handle.writeFile(bytes));
      // Awaited before the next one, or below.
      writing.catch(() => {});
    };
    const flush = async () => {
      if (buffered > 0) await write(buffer.subarray(0, buffered));
      [buffer, spare, buffered] = [spare ?? Buffer.allocUnsafeSlow(bufferSize), buffer, 0];
    };
    try {
      for await (const chunk of content) {
        if (buffered + chunk.length > buffer.length) await flush();
        if (chunk.length > buffer.length) {
          await write(chunk);
          await writing;
        } else {
          buffer.set(chunk, buffered);
          buffered += chunk.length;
        }
        length += chunk.length;
      }
      if (buffered > 0) await write(buffer.subarray(0, buffered));
    } finally {
      // The handle is closed afterwards.
      await writing.catch(() => {});
    }
    await writing;
    return length;
  }

  private async storing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw await this.failure(702, error);
    }
  }

  /** Removes something. Ignores that it is missing, or the directory with it. */
  private async removing(work: () => Promise<void>): Promise<void> {
    try {
      await ifPresent(work);
    } catch (error) {
      const failure = await this.failure(702, error);
      if (failure.code !== 709) throw failure;
    }
  }

  private async failure(code: 700 | 702, cause: unknown): Promise<ServiceError> {
    try {
      if ((await stat(this.directory)).isDirectory()) return new ServiceError(code, { detail: reasonOf(cause), cause });
    } catch (error) {
      // Without a right to look, the directory may well be there.
      if (!isMissing(error)) return new ServiceError(code, { detail: reasonOf(cause), cause });
    }
    return new ServiceError(709, { cause });
  }
}

const noName = "The name does not have 32 lowercase hex digits.";
const isName = (text: string) => /^[0-9a-f]{32}$/.test(text);
const isPrefix = (text: string) => /^[0-9a-f]{2}$/.test(text);

function errorCode(error: unknown): string {
  return String(Object(error).code);
}

/** The detail of an error. It names no path. */
function reasonOf(error: unknown): string {
  return `The file system reports ${errorCode(error)}.`;
}

/** `ESTALE`: the server of a network file system no longer has it. */
function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ESTALE"].includes(errorCode(error));
}

async function ifPresent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns whether the folder is new. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: folderMode });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Makes the entries of a folder durable. */
async function syncFolder(path: string): Promise<void> {
  // Windows has no such call.
  if (process.platform === "win32") return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
