import { closeSync, existsSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

/**
 * A Unix socket on which the lock holder listens. The kernel stops answering as soon as the process ends, with any pid
 * and in any container on this machine, and keeps answering while its event loop is busy.
 */
interface LockBeacon {
  /** File name in the directory. */
  readonly name: string;
  /** Stops listening and removes the file. */
  stop(): Promise<void>;
}

/** @returns `undefined` where sockets are impossible: Windows, file systems without sockets, too long a path */
export async function startBeacon(directory: string, name: string): Promise<LockBeacon | undefined> {
  // Any user can probe: another container can run under another user id.
  const server = createServer((socket) => socket.destroy());
  const listening = await listenIn(directory, name, server, "everybody");
  return listening === undefined ? undefined : { name, stop: () => listening.close() };
}

/** Whether a process listens: "listening", "notListening" (certainly none), or "unknown". */
export async function probeBeacon(directory: string, name: string): Promise<"listening" | "notListening" | "unknown"> {
  const place = socketPath(directory, name);
  if (place === undefined) return "unknown";
  try {
    return await new Promise((resolve) => {
      const socket = connect(place.path);
      socket.once("connect", () => resolve("listening"));
      socket.once("error", (error: NodeJS.ErrnoException) => {
        resolve(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? "notListening" : "unknown");
      });
      socket.once("close", () => resolve("unknown"));
      socket.once("connect", () => socket.destroy());
    });
  } finally {
    place.release();
  }
}

/** A server that listens on a socket in a directory. */
export interface Listening {
  /** Resolves when no connection is left. */
  close(): Promise<void>;
}

/**
 * Lets a server listen on a Unix socket in a directory without keeping the process alive.
 *
 * @returns `undefined` where sockets are impossible: Windows, file systems without sockets, too long a path
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
    // A dead process can have left its file.
    await rm(place.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // `listen` binds the socket before it returns: other users can never connect.
      const mask = clients === "ownUser" ? process.umask(0o177) : undefined;
      try {
        // `exclusive` keeps a cluster's primary out of it.
        server.listen({ path: place.path, exclusive: true, writableAll: clients === "everybody" }, resolve);
      } finally {
        if (mask !== undefined) process.umask(mask);
      }
    });
  } catch {
    place.release();
    return undefined;
  }
  server.unref();
  return {
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      place.release();
    },
  };
}

/** A Unix socket path that the operating system accepts, until `release` is called. */
interface SocketPath {
  readonly path: string;
  release(): void;
}

/** The lowest limit of the supported systems (macOS: 104 bytes with the terminating zero). */
const maxSocketPathLength = 103;

/**
 * The path of a socket in a directory. On Linux, too long a path goes through an open descriptor of the directory.
 *
 * @returns `undefined` where sockets are impossible: Windows, too long a path
 */
export function socketPath(directory: string, name: string): SocketPath | undefined {
  if (process.platform === "win32") return undefined;
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= maxSocketPathLength) return { path, release: () => undefined };
  if (!existsSync("/proc/self/fd")) return undefined;
  const descriptor = openSync(directory, "r");
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) };
}
