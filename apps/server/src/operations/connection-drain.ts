import type { Server } from "node:http";
import type { Application } from "@sallyport/http";

/** Brings a server to its end without taking an answer from anybody. */
export class ConnectionDrain {
  constructor(
    private readonly server: Server,
    private readonly application: Pick<Application, "load" | "connections">,
  ) {}

  /**
   * Takes no more connections and ends those on which nothing is handled or answered, lets the requests in work finish
   * for at most `timeout` milliseconds, and cuts off what is left then. Tells whether all of them finished.
   */
  async run(timeout: number): Promise<boolean> {
    const { load, connections } = this.application;
    load.drain();
    if (!this.server.listening) return true;
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
