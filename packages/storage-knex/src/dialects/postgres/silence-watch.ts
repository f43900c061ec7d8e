import type pg from "pg";
import type { Connection } from "./connection.ts";

type WatchedClient = pg.ClientBase & Pick<Connection, "busySince"> & Required<Pick<Connection, "connection">>;

/**
 * Cuts connections whose server has gone silent: the cable is out, the machine is gone, and nobody says so. One timer
 * looks at all connections; the driver's own time-out would set one for every query, for some 4 µs each.
 */
export class SilenceWatch {
  private readonly clients = new Set<WatchedClient>();
  private readonly timer: NodeJS.Timeout;

  /** `limit`: milliseconds that a query may stay without an answer, give or take a quarter. */
  constructor(private readonly limit: number) {
    this.timer = setInterval(() => this.look(), Math.max(10, limit / 4)).unref();
  }

  add(client: pg.ClientBase): void {
    this.clients.add(client as WatchedClient);
  }

  remove(client: pg.ClientBase): void {
    this.clients.delete(client as WatchedClient);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const latest = Date.now() - this.limit;
    for (const client of this.clients) {
      // The client's own `end` would wait for the answers.
      if (client.busySince !== undefined && client.busySince < latest) client.connection.stream.destroy();
    }
  }
}
