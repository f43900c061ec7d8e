import type { IncomingMessage } from "node:http";
import { ServiceError } from "@sallyport/core";
import type { Step } from "./exchange.ts";

/** 699 for what Node's parser lets pass and RFC 9110 and 9112 do not; the connection is closed. */
export const checkMessage: Step = ({ request, connection }) => {
  const fault = faultOf(request);
  if (fault === null) return;
  connection.end();
  throw new ServiceError(699, { detail: fault });
};

/** What is wrong with the head of a request as HTTP; `null` for nothing. */
export function faultOf(request: IncomingMessage): string | null {
  const { httpVersionMajor, httpVersionMinor, headers, rawHeaders } = request;
  if (httpVersionMajor !== 1) return "The version of HTTP is not known.";
  const hosts = countOfHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) return "There must be one Host.";
  const coding = headers["transfer-encoding"];
  // Proxies read other codings, and any coding in HTTP/1.0, in different ways: who differs can be made to see two requests in one.
  if (coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== "chunked")) {
    return "The transfer coding is not known.";
  }
  const { expect } = headers;
  if (expect !== undefined && httpVersionMinor > 0 && expect.toLowerCase() !== "100-continue") {
    return "The expectation cannot be met.";
  }
  return null;
}

/** Node keeps the first of several only. */
function countOfHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

/** 307 when credentials come over plain HTTP from elsewhere than loopback, unless the configuration allows it. */
export const requireSecureTransport: Step = ({ access, route, origin }, { settings }) => {
  if (origin.secure || settings.allowInsecureTransport) return;
  if (access === "secrets" || access === "session" || route.carriesSecrets === true) {
    throw new ServiceError(307, { detail: "Credentials are taken over TLS only." });
  }
};
