import { createServer as createHttpServer, type Server, type ServerOptions } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { Application } from "./create-application.ts";
import { headerBytes } from "../http-settings.ts";

/** Timeouts of a connection, in milliseconds. */
export interface ServerTimeouts {
  /** From the first byte of a request to the end of its headers. Also the TLS handshake timeout. */
  readonly headers: number;
  /** From the first byte of a request to the end of its body. Streamed bodies have limits of their own. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly keepAlive: number;
}

export interface TlsCredentials {
  /** PEM. */
  readonly certificate: string | Buffer;
  /** PEM. */
  readonly key: string | Buffer;
}

export interface ServerLimits {
  readonly timeouts: ServerTimeouts;
  /**
   * Maximum number of connections, which Node checks at less cost than the application does. `null` leaves it to the
   * application.
   */
  readonly maxConnections: number | null;
}

/** Milliseconds without traffic in either direction before a connection is closed. */
const socketTimeout = 120_000;

/** Creates an HTTP server, or HTTPS with a certificate. It does not listen yet. */
export function createServer(
  application: Application,
  { timeouts, maxConnections }: ServerLimits,
  tls: TlsCredentials | null,
): Server {
  const { listener, refuse, messages, connections } = application;
  const options: ServerOptions = {
    ...messages,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(timeouts.headers, 1_000),
    maxHeaderSize: headerBytes,
    // The pipeline checks it and answers in an envelope.
    requireHostHeader: false,
  };
  const tlsOptions = { minVersion: "TLSv1.2", handshakeTimeout: timeouts.headers } as const;
  const server =
    tls === null
      ? createHttpServer(options, listener)
      : createHttpsServer({ ...options, ...tlsOptions, cert: tls.certificate, key: tls.key }, listener);
  server.setTimeout(socketTimeout);
  if (maxConnections !== null) server.maxConnections = maxConnections;
  // Beyond the limit Node drops headers silently. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  connections.watch(server);
  // Else Node answers an `Expect` header by itself, before the checks of the pipeline.
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Node only reports the timeout and leaves the rest to the listener.
    const isTimeout = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (isTimeout && connections.find(socket as Socket)?.isStreaming === true) return;
    refuse(socket as Socket, error.code ?? error.name);
  });
  server.on("connect", (_request, socket) => {
    // Node no longer handles errors and timeouts of this socket.
    socket.on("error", () => {});
    (socket as Socket).on("timeout", () => socket.destroy());
    refuse(socket as Socket, "CONNECT");
  });
  return server;
}
