import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { ServiceError } from "@sallyport/core";
import { fixedHeaders } from "../answer.ts";
import { failureText } from "../envelope.ts";
import type { OriginResolver } from "../client-origin.ts";
import type { RequestObserver } from "../server/request-observer.ts";
import type { Connections } from "./connections.ts";

export interface RefusalParts {
  readonly connections: Connections;
  readonly origins: OriginResolver;
  readonly observer: RequestObserver;
  readonly debugMessages: boolean;
}

/** Milliseconds for the client to read the answer: what it still sends would make the system throw the answer away. */
const patience = 2_000;

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
  const late = setTimeout(() => socket.destroy(), patience);
  late.unref();
  socket.once("close", () => clearTimeout(late));
}
