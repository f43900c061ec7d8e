import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { ServiceError } from "@sallyport/storage";
import type { OriginResolver } from "../client-origin.ts";
import { failureText, fixedHeaders } from "../envelope.ts";
import { type BudgetBounds, NetworkBudget } from "../load-gauge.ts";
import type { RequestObserver } from "../http-settings.ts";
import { Connection } from "./connection.ts";

interface ConnectionRules {
  /** Maximum number of queued requests per connection. */
  readonly mayWait: number;
  /** Maximum number of connections per network, and of all together. More are closed immediately. */
  readonly bounds: BudgetBounds;
  /** The network of the peer; `null` for a trusted proxy. */
  readonly networkOf: (socket: Socket) => string | null;
}

/** The connections of a server. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  private readonly networks: NetworkBudget;
  private readonly suspects = new SuspectNetworks();
  /** Sockets during the TLS handshake, by their endpoints. After it, another socket object carries the requests. */
  private readonly handshaking = new Map<string, Socket>();
  private leaving = false;
  private draining = false;
  private rejected = 0;

  constructor(private readonly rules: ConnectionRules) {
    this.networks = new NetworkBudget({ perIp: rules.bounds.perIp, total: Number.POSITIVE_INFINITY });
  }

  /** Number of open connections. */
  get size(): number {
    return this.open.size + this.handshaking.size;
  }

  /** Number of connections rejected since the start because of the limits. */
  get dropped(): number {
    return this.rejected;
  }

  /** Whether any connection is handling or answering a request. */
  get areServing(): boolean {
    return Array.from(this.open.values()).some(({ isServing }) => isServing);
  }

  /** Tracks the connections of a server. */
  watch(server: Server): void {
    const overTls = server instanceof TlsServer;
    server.on("connection", (socket: Socket) => {
      if (this.isOneOfTooMany(socket)) socket.destroy();
      else if (overTls) this.startTlsHandshake(socket);
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
    // Node's implementation treats an unread response as finished.
    server.closeIdleConnections = () => this.endIdle();
  }

  /** The connection of an open socket. */
  of(socket: Socket): Connection {
    const existing = this.open.get(socket);
    if (existing !== undefined) return existing;
    const connection = new Connection(socket, this.rules.mayWait);
    if (this.leaving) connection.leave();
    this.open.set(socket, connection);
    socket.once("close", () => this.open.delete(socket));
    return connection;
  }

  /** The connection of a socket; `undefined` if it is closed or was never opened. */
  find(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  /** Rejects an expensive body. From now on, reads the other connections of its network one after another. */
  refuseBody(socket: Socket, reason: string): void {
    this.of(socket).refuseRest(reason);
    const network = this.rules.networkOf(socket);
    if (network === null) return;
    const others = Array.from(this.open.values()).filter(
      (other) => other.socket !== socket && this.rules.networkOf(other.socket) === network,
    );
    this.suspects.add(network, others);
  }

  /** Closes each connection after its next response, including new connections. */
  leave(): void {
    this.leaving = true;
    for (const connection of this.open.values()) connection.leave();
  }

  /** Ends each connection as soon as it is idle and accepts no new ones. */
  drain(): void {
    this.draining = true;
    for (const socket of this.handshaking.values()) socket.destroy();
    for (const connection of this.open.values()) connection.end();
  }

  /** Destroys all connections. */
  destroy(): void {
    this.drain();
    for (const socket of this.open.keys()) socket.destroy();
  }

  private isOneOfTooMany(socket: Socket): boolean {
    const network = this.rules.networkOf(socket);
    if (this.size >= this.rules.bounds.total || (network !== null && this.networks.isFull(network))) {
      this.rejected += 1;
      return true;
    }
    if (network === null) return false;
    this.networks.take(network);
    socket.once("close", () => this.networks.release(network));
    return false;
  }

  private delaySuspect(connection: Connection): void {
    const network = this.rules.networkOf(connection.socket);
    if (network !== null && this.suspects.has(network)) this.suspects.pause(connection);
  }

  private endIdle(): void {
    for (const connection of this.open.values()) if (!connection.isServing) connection.end();
  }

  private startTlsHandshake(socket: Socket): void {
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
const readInterval = 25;
/** Milliseconds that a network stays suspect after its last violation. */
const suspectDuration = 10_000;

/**
 * Networks that sent a body in too many small chunks. Other clients may share the address, so their connections stay
 * open but are read one after another. The server serves other networks in between.
 */
class SuspectNetworks {
  /** `performance.now()` until which each network is suspect. */
  private readonly until = new Map<string, number>();
  private readonly paused = new Set<Connection>();
  private timer: NodeJS.Timeout | null = null;

  /** Reads the connections of the network one after another from now on. */
  add(network: string, open: Iterable<Connection>): void {
    this.until.set(network, performance.now() + suspectDuration);
    for (const connection of open) this.pause(connection);
  }

  /** Whether new connections of the network must wait. */
  has(network: string): boolean {
    return this.until.has(network);
  }

  /** Pauses reading of a connection until its turn. */
  pause(connection: Connection): void {
    connection.pauseReading();
    this.paused.add(connection);
    this.timer ??= setInterval(() => this.readNext(), readInterval).unref();
  }

  private readNext(): void {
    for (const [network, until] of this.until) if (until < performance.now()) this.until.delete(network);
    for (const connection of this.paused) {
      this.paused.delete(connection);
      if (connection.socket.destroyed) continue;
      connection.resumeReading();
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

/** Milliseconds for the client to read the response. Input after the close would discard it. */
const waitTimeout = 2_000;

/**
 * Answers input that never becomes a request (invalid HTTP or a timeout) with 699 in an envelope, after the pending
 * responses. Then ends the connection. `reason` is for the log.
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
