import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";

const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that the client or a proxy gave the request, if it is fit for a log line; else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[headerNames.requestId];
  return typeof given === "string" && acceptable.test(given) ? given : randomUUID();
}
