import type { Connection } from "./connection.ts";

/** Milliseconds between two connections. */
const pace = 25;
/** Milliseconds for which a network stays suspect after its last offence. */
const suspicion = 10_000;

/**
 * Networks that sent a body in too many small pieces. Other clients may share the address, so their connections are not cut but read one
 * after another. In between the server has time for other networks.
 */
export class Suspects {
  /** `performance.now()` until which each is suspect. */
  private readonly until = new Map<string, number>();
  private readonly held = new Set<Connection>();
  private timer: NodeJS.Timeout | null = null;

  /** Reads the connections of the network in turns from now on. */
  add(network: string, open: Iterable<Connection>): void {
    this.until.set(network, performance.now() + suspicion);
    for (const connection of open) this.hold(connection);
  }

  /** Whether a new connection of the network has to wait for its turn. */
  has(network: string): boolean {
    return this.until.has(network);
  }

  /** Reads nothing from a connection until its turn has come. */
  hold(connection: Connection): void {
    connection.hold();
    this.held.add(connection);
    this.timer ??= setInterval(() => this.readNext(), pace).unref();
  }

  private readNext(): void {
    for (const [network, until] of this.until) if (until < performance.now()) this.until.delete(network);
    for (const connection of this.held) {
      this.held.delete(connection);
      if (connection.socket.destroyed) continue;
      connection.release();
      return;
    }
    if (this.until.size === 0 && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }
}
