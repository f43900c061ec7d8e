import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { ServiceError } from "@sallyport/core";
import { failureText } from "../envelope/failure.ts";

/**
 * Answers what the HTTP parser itself refuses (bad request line, header overflow, time-out) with 699 in an envelope
 * and closes the connection. Listens to `clientError`.
 */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const text = failureText(new ServiceError(699), false);
  const lines = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/json; charset=utf-8",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `X-Request-Id: ${randomUUID()}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`);
}
