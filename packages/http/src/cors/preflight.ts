import type { IncomingMessage } from "node:http";

/** Whether a browser asks before it sends the request itself. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}
