import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A relay between a client and a database server. It can break connections, refuse new ones, stop forwarding, or move to
 * another server.
 */
export class TcpRelay {
  private readonly sockets = new Set<Socket>();
  private silent = false;
  private server: Server | undefined;
  private port = 0;

  constructor(private target: URL) {}

  /** The URL of the target through the relay. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = "127.0.0.1";
    url.port = String(this.port);
    return url.href;
  }

  async listen(): Promise<void> {
    const server = createServer((client) => this.relay(client));
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Breaks all connections and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = this.server === undefined ? undefined : once(this.server, "close");
    this.server?.close();
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Relays new connections to another server. Existing ones stay. */
  redirect(target: URL): void {
    this.target = target;
  }

  /** Forwards or buffers the bytes of existing and new connections. */
  answer(on: boolean): void {
    this.silent = !on;
    for (const socket of this.sockets) {
      if (on) socket.resume();
      else socket.pause();
    }
  }

  private relay(client: Socket): void {
    this.keep(client);
    if (this.silent) return;
    const database = connect(
      Number(this.target.port || (this.target.protocol.startsWith("postgres") ? 5432 : 3306)),
      this.target.hostname,
    );
    this.keep(database);
    client.pipe(database).pipe(client);
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
  }

  private keep(socket: Socket): void {
    // With Nagle's algorithm, a small packet would wait for the previous acknowledgement.
    socket.setNoDelay(true);
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.sockets.delete(socket));
  }
}
