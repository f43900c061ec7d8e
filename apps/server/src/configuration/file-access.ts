import { accessSync, constants, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["EISDIR", "is a directory"],
]);

/** Why a file could not be read: completes "the file …". */
export function whyUnreadable(error: unknown): string {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  if (isForbidden(error)) return `is not readable${path === undefined ? "" : forbiddenBecause(path)}`;
  return reasons.get(code) ?? `cannot be read${code === "" ? "" : ` (${code})`}`;
}

function isForbidden(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException | null)?.code ?? "");
}

/** Why this process may not use a path: its owner, or that of the nearest parent that can be seen. Empty on Windows. */
export function forbiddenBecause(path: string): string {
  const own = process.geteuid?.();
  if (own === undefined) return "";
  const seen = nearest(path);
  const { uid, mode } = statSync(seen);
  return `: ${seen} belongs to user id ${uid} with mode ${modeText(mode)}, and this process has user id ${own}`;
}

const modeText = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, "0");

/** The path, or its nearest parent that can be seen. */
function nearest(path: string): string {
  try {
    statSync(path);
    return path;
  } catch {
    return dirname(path) === path ? path : nearest(dirname(path));
  }
}

/** Why a file cannot be read: completes "the file …"; `null` if it can. */
export function unreadable(file: string): string | null {
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return whyUnreadable(error);
  }
}

/** Problem of a directory: completes "the directory …"; `null` if none. `mayBeMissing`: it is created on demand. `written`: files are written into it. */
export function folderProblem(folder: string, { mayBeMissing = false, written = false } = {}): string | null {
  try {
    if (!statSync(folder).isDirectory()) return "is not a directory";
    return written ? writeProblem(folder, "is not writable") : null;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!mayBeMissing || !isMissing) return whyUnreadable(error);
    return written ? writeProblem(nearest(resolve(folder)), "cannot be created") : null;
  }
}

function writeProblem(folder: string, problem: string): string | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${problem}${isForbidden(error) ? forbiddenBecause(folder) : ` (${code})`}`;
  }
}

/** A file with a secret, and its fault: other users can read or change it. */
export interface SecretFileFault {
  readonly fault: string;
  readonly fix: string;
}

/**
 * Faults of files with secrets. Their owner is the user of this process, or root. Only a file of root may be readable by
 * its group: that of the server, or of systemd's credentials. A missing file is not a fault, and neither is one that a container
 * platform mounts: it chooses the mode, and no other user is there. Windows has no such permissions.
 */
export function secretFileFaults(
  files: Iterable<string>,
  own = process.geteuid?.(),
  mounts = "/run/secrets",
): SecretFileFault[] {
  if (own === undefined) return [];
  return Array.from(new Set(files)).flatMap((file): SecretFileFault[] => {
    if (resolve(file).startsWith(join(mounts, "/"))) return [];
    const status = statSync(file, { throwIfNoEntry: false });
    if (status === undefined) return [];
    const { uid, mode } = status;
    if (uid !== own && uid !== 0) {
      const fault = `The key file ${file} belongs to user id ${uid}, who can change it. This process has user id ${own}.`;
      return [{ fault, fix: `chown ${own} ${file}` }];
    }
    if ((mode & (uid === 0 ? 0o037 : 0o077)) === 0) return [];
    const fault = `Other users of this machine can read or write the key file ${file} (mode ${modeText(mode)}).`;
    return [{ fault, fix: `chmod 600 ${file}` }];
  });
}
