import { createServer as createHttpServer, type Server, type ServerOptions } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { Application } from "./create-application.ts";
import { headerBytes } from "./http-settings.ts";

/** How long a connection may take, in milliseconds. */
export interface ServerTimeouts {
  /** From the first byte of a request to the end of its headers; for TLS to be agreed as well. */
  readonly headers: number;
  /** From the first byte of a request to the end of its body. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly keepAlive: number;
}

export interface TlsFiles {
  /** PEM. */
  readonly certificate: string | Buffer;
  /** PEM. */
  readonly key: string | Buffer;
}

export interface ServerLimits {
  readonly timeouts: ServerTimeouts;
  /** Connections at once; more are closed unheard. */
  readonly maxConnections: number;
}

/** Milliseconds without a byte in either direction after which a connection is cut, such as one that takes no answer. */
const silence = 120_000;

/** The HTTP server, or HTTPS with a certificate, around an application; not yet listening. */
export function createServer(
  application: Application,
  { timeouts, maxConnections }: ServerLimits,
  tls: TlsFiles | null,
): Server {
  const { listener, refuse, messages, connections } = application;
  const options: ServerOptions = {
    ...messages,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(timeouts.headers, 1_000),
    maxHeaderSize: headerBytes,
    // The pipeline does, and answers in an envelope.
    requireHostHeader: false,
  };
  const agreement = { minVersion: "TLSv1.2", handshakeTimeout: timeouts.headers } as const;
  const server =
    tls === null
      ? createHttpServer(options, listener)
      : createHttpsServer({ ...options, ...agreement, cert: tls.certificate, key: tls.key }, listener);
  server.setTimeout(silence);
  server.maxConnections = maxConnections;
  // Beyond a number Node drops headers without a word; their size is limited anyhow.
  server.maxHeadersCount = 0;
  connections.watch(server);
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    refuse(socket as Socket, error.code ?? error.name),
  );
  server.on("connect", (_request, socket) => {
    // Node has let go of the socket, and looks after neither its faults nor its silence any more.
    socket.on("error", () => {});
    (socket as Socket).on("timeout", () => socket.destroy());
    refuse(socket as Socket, "CONNECT");
  });
  return server;
}
