import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { LoadGauge } from "@sallyport/http";

/** Remembers the connections of a server, to end those that nobody will miss. */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly server: Server,
    private readonly load: LoadGauge,
  ) {
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
  }

  /**
   * Takes no more connections, lets the requests in work finish for at most `timeout` milliseconds, and ends what is
   * left then. Tells whether all of them finished.
   */
  async run(timeout: number): Promise<boolean> {
    this.load.drain();
    if (!this.server.listening) return true;
    let finished = true;
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    // A connection that never asked anything is not idle to Node, and one whose request is from before becomes idle late.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    const idle = setInterval(() => this.server.closeIdleConnections(), 50);
    const end = setTimeout(() => {
      finished = this.load.current === 0;
      this.server.closeAllConnections();
    }, timeout);
    this.server.closeIdleConnections();
    await closed;
    clearInterval(idle);
    clearTimeout(end);
    return finished;
  }
}
