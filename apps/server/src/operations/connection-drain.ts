import type { Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Application } from "@sallyport/http";

/** Brings a server to its end without taking an answer from anybody. */
export class ConnectionDrain {
  constructor(
    private readonly server: Server,
    private readonly application: Pick<Application, "load" | "connections">,
  ) {}

  /**
   * Serves requests for another `delay` milliseconds, so that load balancers notice that the server is not ready, and closes each connection
   * with its next answer. Then refuses new connections, closes idle ones, and waits at most `timeout` milliseconds for the requests in
   * work before it cuts their connections. Returns whether all of them finished.
   */
  async run({ delay, timeout }: { readonly delay: number; readonly timeout: number }): Promise<boolean> {
    const { load, connections } = this.application;
    load.drain();
    if (!this.server.listening) return true;
    if (delay > 0) {
      connections.leave();
      await pause(delay);
    }
    let finished = true;
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    connections.drain();
    const late = setTimeout(() => {
      finished = !connections.areServing;
      connections.destroy();
    }, timeout);
    await closed;
    clearTimeout(late);
    return finished;
  }
}
