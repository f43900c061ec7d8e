import { statfsSync } from "node:fs";
import { types } from "node:util";
import { StartError } from "../start-error.ts";

const reasons: ReadonlyMap<unknown, string> = new Map([
  ["EEXIST", "it is a file, not a directory"],
  ["ENOTDIR", "a part of its path is a file, not a directory"],
  ["EACCES", "this user may not write there"],
  ["EPERM", "this user may not write there"],
  ["EROFS", "its file system can only be read"],
  ["ENOSPC", "its file system is full"],
  ["EDQUOT", "this user's share of its file system is used up"],
]);

/** Bytes that the engine takes at once for its log, twice. */
const needed = 32 * 1024 * 1024;

/** What the operating system has against a data directory, in words for the operator; other errors as they are. */
export function directoryTrouble(error: unknown, dataDir: string): unknown {
  const reason = isFull(dataDir) ? reasons.get("ENOSPC") : reasonOf(error);
  if (reason === undefined) return error;
  return new StartError(`The data directory ${dataDir} cannot be used: ${reason}. Choose another one with DATA_DIR.`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string | undefined {
  if (!types.isNativeError(error) || !("syscall" in error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return reasons.get(code) ?? `the operating system refuses it (${code ?? error.message})`;
}

/** The engine itself only says that it stopped. */
function isFull(dataDir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize < needed;
  } catch {
    return false;
  }
}
