import { createServer, type Socket } from "node:net";
import type { EmbeddedBackend } from "./backend/embedded-backend.ts";
import { listenIn } from "./lock/lock-beacon.ts";
import { WireSocket } from "./wire/wire-socket.ts";

/** Name of the socket in the data directory, as PostgreSQL clients expect it when their host is a directory. */
export const socketName = ".s.PGSQL.5432";

export interface LocalClients {
  /** Disconnects the client and removes the socket. */
  close(): Promise<void>;
}

export interface LocalClientsParts {
  /** Absolute; this process has the lock of the directory. */
  readonly directory: string;
  readonly backend: EmbeddedBackend;
  /** Runs work with exclusive use of the database; rejects when the database does not become free in time. */
  readonly withConnection: (work: () => Promise<void>) => Promise<void>;
  /** Maximum milliseconds per client. */
  readonly limit: number;
}

/** Milliseconds for a client to read the reason of its disconnection. */
const closeDelay = 1_000;

/**
 * Lends the database to programs of the same user on this machine, one connection at a time, over a Unix socket in the
 * data directory. The holder of the directory waits for it. Every client starts with a fresh session: unfinished
 * work of the previous one is rolled back. A client that exceeds the limit is disconnected.
 *
 * @returns `undefined` where there are no Unix sockets
 */
export async function serveLocalClients(parts: LocalClientsParts): Promise<LocalClients | undefined> {
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
    // A close event follows every error.
    socket.on("error", () => undefined);
    void parts.withConnection(() => serve(socket, parts)).catch((error: Error) => disconnect(socket, error.message));
  });
  const listening = await listenIn(parts.directory, socketName, server, "ownUser");
  if (listening === undefined) return undefined;
  return {
    close: async () => {
      const closed = listening.close();
      for (const socket of clients) disconnect(socket, "the server is shutting down");
      await closed;
    },
  };
}

async function serve(socket: Socket, { backend, limit }: LocalClientsParts): Promise<void> {
  if (socket.destroyed) return;
  const wire = new WireSocket(backend);
  const timer = setTimeout(
    () => disconnect(socket, `another process can use the database for ${limit} ms at a time`),
    limit,
  );
  await new Promise<void>((resolve) => {
    wire.once("error", ({ message }) => disconnect(socket, message));
    wire.once("close", () => {
      socket.end();
      resolve();
    });
    // A disconnected client can take its time to close.
    socket.once("finish", () => wire.destroy());
    socket.once("close", () => wire.destroy());
    socket.pipe(wire).pipe(socket, { end: false });
    wire.once("end", () => wire.destroy());
  });
  clearTimeout(timer);
}

/** Ends a connection with the reason as a FATAL error 57P01 (admin_shutdown). */
function disconnect(socket: Socket, reason: string): void {
  if (socket.destroyed || socket.writableEnded) return;
  const fields = ["SFATAL", "VFATAL", "C57P01", `M${reason}`];
  const body = Buffer.from(`${fields.join("\0")}\0\0`);
  const header = Buffer.from([0x45, 0, 0, 0, 0]);
  header.writeInt32BE(4 + body.length, 1);
  socket.end(Buffer.concat([header, body]));
  setTimeout(() => socket.destroy(), closeDelay).unref();
}
