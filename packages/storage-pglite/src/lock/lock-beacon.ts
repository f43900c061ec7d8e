import { closeSync, existsSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

/**
 * A Unix socket the holder of a lock listens on. The kernel stops answering for it the moment the process is gone,
 * whatever its pid and in whichever container on this machine it ran, and goes on answering while its event loop is busy.
 */
interface LockBeacon {
  /** File name in the directory. */
  readonly name: string;
  /** Goes dark and removes the file. */
  extinguish(): Promise<void>;
}

/** @returns `undefined` where there can be none: Windows, file systems without sockets, far too long a path */
export async function lightBeacon(directory: string, name: string): Promise<LockBeacon | undefined> {
  // Anyone may probe: another container may run under another user id.
  const server = createServer((socket) => socket.destroy());
  const listening = await listenIn(directory, name, server, "everybody");
  return listening === undefined ? undefined : { name, extinguish: () => listening.close() };
}

/** Whether somebody listens: "lit", "dark" (certainly nobody), or "unknown". */
export async function probeBeacon(directory: string, name: string): Promise<"lit" | "dark" | "unknown"> {
  const place = socketPath(directory, name);
  if (place === undefined) return "unknown";
  try {
    return await new Promise((resolve) => {
      const socket = connect(place.path);
      socket.once("connect", () => resolve("lit"));
      socket.once("error", (error: NodeJS.ErrnoException) => {
        resolve(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? "dark" : "unknown");
      });
      socket.once("close", () => resolve("unknown"));
      socket.once("connect", () => socket.destroy());
    });
  } finally {
    place.leave();
  }
}

/** A server that listens on a socket in a directory. */
export interface Listening {
  /** Resolves when no connection is left. */
  close(): Promise<void>;
}

/**
 * Lets a server listen on a Unix socket in a directory; it does not keep the process alive.
 *
 * @returns `undefined` where there can be none: Windows, file systems without sockets, far too long a path
 */
export async function listenIn(
  directory: string,
  name: string,
  server: Server,
  clients: "everybody" | "ownUser",
): Promise<Listening | undefined> {
  const place = socketPath(directory, name);
  if (place === undefined) return undefined;
  try {
    // A process that died may have left its file.
    await rm(place.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // The socket is bound before `listen` returns: at no moment can another user connect to it.
      const mask = clients === "ownUser" ? process.umask(0o177) : undefined;
      try {
        // `exclusive` keeps a cluster's primary out of it.
        server.listen({ path: place.path, exclusive: true, writableAll: clients === "everybody" }, resolve);
      } finally {
        if (mask !== undefined) process.umask(mask);
      }
    });
  } catch {
    place.leave();
    return undefined;
  }
  server.unref();
  return {
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      place.leave();
    },
  };
}

/** A path to a Unix socket that the operating system accepts, until `leave` is called. */
interface SocketPath {
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
