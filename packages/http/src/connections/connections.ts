import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { Connection } from "./connection.ts";

/** The connections of a server. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  /** Sockets on which TLS is not agreed yet, by their ends: it is another object that carries the requests then. */
  private readonly handshaking = new Map<string, Socket>();
  private draining = false;
  private turnedAway = 0;

  /** `mayWait`: requests that may wait on a connection for the one being served. */
  constructor(private readonly mayWait: number) {}

  /** Connections that are open. */
  get size(): number {
    return this.open.size + this.handshaking.size;
  }

  /** Connections that were closed at once because there were too many, since the start. */
  get dropped(): number {
    return this.turnedAway;
  }

  /** Whether a request is being handled or answered on any of them. */
  get areServing(): boolean {
    return Array.from(this.open.values()).some(({ isServing }) => isServing);
  }

  /** Follows the connections of a server. */
  watch(server: Server): void {
    const overTls = server instanceof TlsServer;
    if (overTls) server.on("connection", (socket: Socket) => this.shakeHands(socket));
    server.on(overTls ? "secureConnection" : "connection", (socket: Socket) => {
      this.handshaking.delete(endsOf(socket));
      if (this.draining) socket.destroy();
      else this.of(socket);
    });
    server.on("drop", () => {
      this.turnedAway += 1;
    });
    // Node's own takes an answer that the client has not taken yet for one that is done.
    server.closeIdleConnections = () => this.endIdle();
  }

  /** The connection of a socket that is open. */
  of(socket: Socket): Connection {
    const known = this.open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, this.mayWait);
    this.open.set(socket, connection);
    socket.once("close", () => this.open.delete(socket));
    return connection;
  }

  /** The connection of a socket, unless it was closed or never became one. */
  find(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  /** Ends each as soon as no request is being handled or answered on it, and takes no others. */
  drain(): void {
    this.draining = true;
    for (const socket of this.handshaking.values()) socket.destroy();
    for (const connection of this.open.values()) connection.end();
  }

  /** Cuts all of them off. */
  destroy(): void {
    this.drain();
    for (const socket of this.open.keys()) socket.destroy();
  }

  private endIdle(): void {
    for (const connection of this.open.values()) if (!connection.isServing) connection.end();
  }

  private shakeHands(socket: Socket): void {
    const ends = endsOf(socket);
    this.handshaking.set(ends, socket);
    socket.once("close", () => {
      if (this.handshaking.get(ends) === socket) this.handshaking.delete(ends);
    });
  }
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(" ");
}
