import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

/** A relay that breaks its connections: each one after as many bytes, in both directions, as the plan says. */
export class CuttingProxy {
  /** Bytes of the next connections. Without a plan, connections stay. */
  plan: number[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(target: string): Promise<CuttingProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new CuttingProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on("connection", (client) => proxy.relay(client, connect(Number(new URL(target).port), "127.0.0.1")));
    return proxy;
  }

  /** Breaks all connections. Clients in this process know it when the promise resolves, and use none of them again. */
  async cut(): Promise<void> {
    const closed = [...this.sockets].map(
      (socket) =>
        new Promise((resolve) => {
          socket.once("close", resolve);
        }),
    );
    // A reset of a socket that is about to end fails, and leaves it open.
    for (const socket of this.sockets) {
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
    await Promise.all(closed);
    // The next turn of the event loop reads the resets.
    for (let turn = 0; turn < 2; turn += 1) await setImmediate();
  }

  async close(): Promise<void> {
    const closed = once(this.server, "close");
    this.server.close();
    await this.cut();
    await closed;
  }

  private relay(client: Socket, server: Socket): void {
    let left = this.plan.shift() ?? Number.POSITIVE_INFINITY;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      const end = () => {
        this.sockets.delete(from);
        to.destroy();
      };
      from.on("error", end).on("close", end);
      from.on("data", (bytes: Buffer) => {
        to.write(bytes.subarray(0, Math.min(left, bytes.length)));
        left -= bytes.length;
        if (left > 0) return;
        client.destroySoon();
        server.destroySoon();
      });
    }
  }
}
