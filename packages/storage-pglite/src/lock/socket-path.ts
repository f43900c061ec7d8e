import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";

/** A path to a Unix socket that the operating system accepts, until `leave` is called. */
export interface SocketPath {
  readonly path: string;
  leave(): void;
}

/** The shortest limit of the systems in use (macOS: 104 bytes with the terminating zero). */
const longestSocketPath = 103;

/**
 * The path of a socket in a directory; on Linux a path that is too long leads through an open descriptor of the directory.
 *
 * @returns `undefined` where there can be none: Windows, far too long a path
 */
export function socketPath(directory: string, name: string): SocketPath | undefined {
  if (process.platform === "win32") return undefined;
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= longestSocketPath) return { path, leave: () => undefined };
  if (!existsSync("/proc/self/fd")) return undefined;
  const descriptor = openSync(directory, "r");
  return { path: `/proc/self/fd/${descriptor}/${name}`, leave: () => closeSync(descriptor) };
}
