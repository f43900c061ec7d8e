import { createServer as createHttpServer, type Server, type ServerOptions } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { Application } from "./create-application.ts";
import { refuseUnparsed } from "./refuse-unparsed.ts";

/** How long a connection may take, in milliseconds. */
export interface ServerTimeouts {
  /** From the first byte of a request to the end of its headers. */
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

/** Milliseconds without a byte in either direction after which a connection is cut, such as one that takes no answer. */
const silence = 120_000;

/** The HTTP server, or HTTPS with a certificate, around an application; not yet listening. */
export function createServer({ listener, messages }: Application, timeouts: ServerTimeouts, tls: TlsFiles | null): Server {
  const options: ServerOptions = {
    ...messages,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(timeouts.headers, 5_000),
    maxHeaderSize: 16 * 1024,
  };
  const server =
    tls === null
      ? createHttpServer(options, listener)
      : createHttpsServer({ ...options, cert: tls.certificate, key: tls.key, minVersion: "TLSv1.2" }, listener);
  server.setTimeout(silence);
  server.on("clientError", (error, socket) => refuseUnparsed(error, socket as Socket));
  return server;
}
