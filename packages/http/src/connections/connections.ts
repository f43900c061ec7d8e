import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { ServiceError } from "@sallyport/core";
import { fixedHeaders } from "../answer.ts";
import type { OriginResolver } from "../client-origin.ts";
import { failureText } from "../envelope.ts";
import { NetworkBudget } from "../load-gauge.ts";
import type { RequestObserver } from "../server/http-settings.ts";
import { Connection } from "./connection.ts";

interface ConnectionRules {
  /** Requests that may wait on a connection for the one being served. */
  readonly mayWait: number;
  /** Connections of one network; more are closed unheard. */
  readonly perIp: number;
  /** The network of the peer; `null` for a trusted proxy. */
  readonly networkOf: (socket: Socket) => string | null;
}

/** The connections of a server. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly networks: NetworkBudget;
  private readonly suspects = new Suspects();
  /** Sockets on which TLS is not agreed yet, by their ends: it is another object that carries the requests then. */
  private readonly handshaking = new Map<string, Socket>();
  private leaving = false;
  private draining = false;
  private rejected = 0;

  constructor(private readonly rules: ConnectionRules) {
    this.networks = new NetworkBudget({ perIp: rules.perIp, total: Number.POSITIVE_INFINITY });
  }

  /** Connections that are open. */
  get size(): number {
    return this.open.size + this.handshaking.size;
  }

  /** Connections that were closed at once because there were too many, since the start. */
  get dropped(): number {
    return this.rejected;
  }

  /** Whether a request is being handled or answered on any of them. */
  get areServing(): boolean {
    return Array.from(this.open.values()).some(({ isServing }) => isServing);
  }

  /** Follows the connections of a server. */
  watch(server: Server): void {
    const overTls = server instanceof TlsServer;
    server.on("connection", (socket: Socket) => {
      if (this.isOneOfTooMany(socket)) socket.destroy();
      else if (overTls) this.shakeHands(socket);
    });
    server.on(overTls ? "secureConnection" : "connection", (socket: Socket) => {
      this.handshaking.delete(endsOf(socket));
      if (socket.destroyed) return;
      if (this.draining) socket.destroy();
      else this.delaySuspect(this.of(socket));
    });
    server.on("drop", () => {
      this.rejected += 1;
    });
    // Node's own takes an answer that the client has not taken yet for one that is done.
    server.closeIdleConnections = () => this.endIdle();
  }

  /** The connection of a socket that is open. */
  of(socket: Socket): Connection {
    const known = this.open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, this.rules.mayWait);
    if (this.leaving) connection.leave();
    this.open.set(socket, connection);
    socket.once("close", () => this.open.delete(socket));
    return connection;
  }

  /** The connection of a socket, unless it was closed or never became one. */
  find(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  /** Refuses a body that costs too much, and reads the other connections of its network in turns from now on. */
  refuseBody(socket: Socket, reason: string): void {
    this.of(socket).refuseRest(reason);
    const network = this.rules.networkOf(socket);
    if (network === null) return;
    const others = Array.from(this.open.values()).filter(
      (other) => other.socket !== socket && this.rules.networkOf(other.socket) === network,
    );
    this.suspects.add(network, others);
  }

  /** Closes each connection after its next answer, new connections included. */
  leave(): void {
    this.leaving = true;
    for (const connection of this.open.values()) connection.leave();
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

  private isOneOfTooMany(socket: Socket): boolean {
    const network = this.rules.networkOf(socket);
    if (network === null) return false;
    if (this.networks.isFull(network)) {
      this.rejected += 1;
      return true;
    }
    this.networks.take(network);
    socket.once("close", () => this.networks.giveBack(network));
    return false;
  }

  private delaySuspect(connection: Connection): void {
    const network = this.rules.networkOf(connection.socket);
    if (network !== null && this.suspects.has(network)) this.suspects.hold(connection);
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

/** Milliseconds between two connections. */
const pace = 25;
/** Milliseconds for which a network stays suspect after its last offence. */
const suspicion = 10_000;

/**
 * Networks that sent a body in too many small pieces. Other clients may share the address, so their connections are not cut but read one
 * after another. In between the server has time for other networks.
 */
class Suspects {
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

interface RefusalParts {
  readonly connections: Connections;
  readonly origins: OriginResolver;
  readonly observer: RequestObserver;
  readonly debugMessages: boolean;
}

/** Milliseconds for the client to read the answer: what it still sends would make the system throw the answer away. */
const waitTimeout = 2_000;

/**
 * Answers what never becomes a request, because the HTTP parser refuses it or it came too slowly, with 699 in an
 * envelope after the answers that are due, and ends the connection. `reason` is for the log.
 */
export function refuseUnparsed(socket: Socket, reason: string, parts: RefusalParts): void {
  const { connections, origins, observer, debugMessages } = parts;
  const connection = connections.find(socket);
  if (connection === undefined || !socket.writable) {
    socket.destroy();
    return;
  }
  connection.breakOff(() => {
    const error = new ServiceError(699, { detail: reason });
    const requestId = randomUUID();
    const { address } = origins.peer(socket);
    writeLast(socket, requestId, failureText(error, debugMessages));
    const { code, status } = error;
    observer.answered({ requestId, method: "", alias: null, route: null, status, code, duration: 0, address, error });
  });
}

function writeLast(socket: Socket, requestId: string, text: string): void {
  const headers = {
    ...fixedHeaders,
    "X-Request-Id": requestId,
    "Content-Length": Buffer.byteLength(text),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(["HTTP/1.1 400 Bad Request", ...lines, "", text].join("\r\n"));
  socket.resume();
  const late = setTimeout(() => socket.destroy(), waitTimeout);
  late.unref();
  socket.once("close", () => clearTimeout(late));
}
