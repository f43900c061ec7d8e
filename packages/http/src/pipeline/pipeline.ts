import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";
import { parseBody, parseJson } from "../body/json.ts";
import { bodyLimit, checkContentType, readBody, shedLoad } from "../body/read-body.ts";
import { formFields, parseQuery } from "../routing/query-string.ts";
import { admit, checkAppKey, checkEnrolment, checkSession } from "./admit.ts";
import { answerPreflight } from "./cors.ts";
import type { Exchange, PipelineParts, Step } from "./exchange.ts";
import { answerKeySet, asksForKeySet, findDatabase, findKeySetMethod, findMethod, findPath } from "./find-route.ts";
import { handle } from "./handle.ts";
import { SecureExchange } from "./secure-exchange.ts";

/** 699 for what Node's parser lets pass and RFC 9110 and 9112 do not; the connection is closed. */
const checkMessage: Step = ({ request, connection }) => {
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
const requireSecureTransport: Step = ({ access, route, origin }, { settings }) => {
  if (origin.secure || settings.allowInsecureTransport) return;
  if (access === "secrets" || access === "session" || route.carriesSecrets === true) {
    throw new ServiceError(307, { detail: "Credentials are taken over TLS only." });
  }
};

/**
 * In a secure session all later answers are encrypted. A log-out also works if the session key cannot be unwrapped (314); its answer is
 * not encrypted.
 */
const openChannel: Step = (exchange, { traffic }) => {
  const { database, admission, session } = exchange;
  const channel = admission.session?.channel;
  if (channel === undefined || session === null) return;
  return traffic.open(database, session.digest, channel).then(
    (open) => {
      exchange.channel = new SecureExchange(traffic, open, database, session.digest);
    },
    (error: unknown) => {
      if (exchange.route.endsSession !== true || !(error instanceof ServiceError) || error.code !== 314) throw error;
    },
  );
};

/** In a secure session: what the body says (312 if it is no message of this session, 801 if it says more than 1 MiB). */
const openMessage: Step = async (exchange) => {
  const { bytes, channel, request } = exchange;
  if (channel === null || bytes.length === 0) return;
  const header = request.headers[headerNames.encrypted];
  exchange.bytes = await channel.open(Array.isArray(header) ? header.join() : header, bytes);
  if (exchange.bytes.length > bodyLimit) throw new ServiceError(801);
};

/** Parses body (311, in a secure session 312, a form never) and query string, then their fields by the schemas of the route. */
const parseInput: Step = (exchange) => {
  const { route, bytes, channel, queryString } = exchange;
  if (route.body?.form !== undefined) {
    exchange.body = parseBody(route.body, Object.fromEntries(formFields(new TextDecoder().decode(bytes))));
  } else {
    // What no route asks for must still be a message.
    const given = bytes.length === 0 ? undefined : parseJson(bytes, channel === null ? 311 : 312);
    exchange.body = parseBody(route.body, given);
  }
  exchange.query = parseQuery(route.query, queryString);
};

/** Every request takes these steps in this order; the first that refuses decides the answer. */
const steps: readonly Step[] = [
  checkMessage,
  findPath,
  findMethod,
  findDatabase,
  shedLoad,
  answerPreflight,
  admit,
  checkAppKey,
  requireSecureTransport,
  checkSession,
  openChannel,
  checkEnrolment,
  checkContentType,
  readBody,
  openMessage,
  parseInput,
  handle,
];

/** The set of keys belongs to no database and needs no app key. */
const keySetSteps: readonly Step[] = [checkMessage, findKeySetMethod, shedLoad, answerKeySet];

/** Takes the steps until the answer is written. */
export async function runPipeline(exchange: Exchange, parts: PipelineParts): Promise<void> {
  const toTake = asksForKeySet(exchange.request, parts.settings.basePath) ? keySetSteps : steps;
  for (const step of toTake) {
    const pending = step(exchange, parts);
    if (pending !== undefined) await pending;
    if (exchange.response.headersSent) return;
  }
}
