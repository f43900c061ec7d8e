import type { IncomingMessage } from "node:http";
import { headerNames } from "@sallyport/contract";
import { type Channel, type Digest, ServiceError } from "@sallyport/storage";
import type { RequestCheck } from "@sallyport/core";
import { validatedBody, parseForm, parseJson } from "../body/json.ts";
import { bodyLimitOf, checkContentType, readBody } from "./read-body.ts";
import { openStream } from "../files/open-stream.ts";
import type { Route } from "../route.ts";
import { formFields, hasOtherParameters, parseQuery } from "../routing/query-string.ts";
import { unknownParameters } from "../routing/unknown-parameters.ts";
import { checkAdministrator, checkProof } from "../exchange/administrator-checks.ts";
import { admit, checkAppKey, checkEnrolment, checkSession } from "./admit.ts";
import { admitOrigin, answerPreflight } from "./cors.ts";
import type { CheckedStep, Exchange, PipelineParts, RouteSteps, Step } from "../exchange/exchange.ts";
import { answerKeySet, findDatabase, findKeySetMethod, findMethod, findPath, keySet } from "./find-route.ts";
import { handle } from "./handle.ts";
import { limitPreflight, limitRate, shedLoad } from "./limit-rate.ts";
import { admitOperator } from "./operator.ts";
import { SecureExchange } from "../exchange/secure-exchange.ts";

/** Throws 699 for requests that Node's parser accepts against RFC 9110 or 9112. The connection is closed. */
function checkMessage({ request, connection }: Exchange): void {
  const fault = faultOf(request);
  if (fault === null) return;
  connection.end();
  throw new ServiceError(699, { detail: fault });
}

/** Violation in the head of a request; `null` if there is none. */
export function faultOf(request: IncomingMessage): string | null {
  const { httpVersionMajor, httpVersionMinor, headers, rawHeaders } = request;
  if (httpVersionMajor !== 1) return "The HTTP version is not supported.";
  // Raw headers, because Node keeps only the first `Host`.
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) return "The request must have exactly one Host header.";
  const coding = headers["transfer-encoding"];
  // Proxies disagree on other codings and on any coding in HTTP/1.0. Accepting them would allow request smuggling.
  if (coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== "chunked")) {
    return "The transfer coding is not supported.";
  }
  const { expect } = headers;
  if (expect !== undefined && httpVersionMinor > 0 && expect.toLowerCase() !== "100-continue") {
    return "The expectation cannot be met.";
  }
  return null;
}

/** Throws 307 for credentials over plain HTTP, except from loopback or if configuration and route allow it. */
const requireSecureTransport: Step = ({ access, origin, route }, { settings }) => {
  if (origin.secure || (settings.allowInsecureTransport && route.secureOnly !== true)) return;
  if (access === "secrets" || access === "session" || access === "ticket" || access === "address") {
    throw new ServiceError(307, { detail: "Credentials are accepted over TLS only." });
  }
};

interface SecureSession {
  readonly digest: Digest;
  readonly channel: Channel;
}

/** The secure session of an admitted request; `null` for any other caller. */
function secureSession({ admission, session }: Exchange): SecureSession | null {
  const channel = admission.session?.channel;
  return channel === undefined || session === null ? null : { digest: session.digest, channel };
}

/**
 * Encrypts all later responses of a secure session. A log-out also works if the session key cannot be unwrapped (314).
 * Its response is then not encrypted.
 */
const openChannel: Step = (exchange, { traffic }) => {
  const { database } = exchange;
  const { digest, channel } = secureSession(exchange) as SecureSession;
  return traffic.open(database, digest, channel).then(
    (open) => {
      exchange.channel = new SecureExchange(traffic, open, database, digest);
    },
    (error: unknown) => {
      if (exchange.route.effect !== "endsSession" || !(error instanceof ServiceError) || error.code !== 314)
        throw error;
    },
  );
};

/** Decrypts the body of a secure session. Throws 312 for a foreign message and 801 over the limit of the route. */
const openMessage: Step = async (exchange) => {
  const { bytes, channel, request, route } = exchange;
  if (channel === null || bytes.length === 0) return;
  const header = request.headers[headerNames.encrypted];
  exchange.bytes = await channel.open(Array.isArray(header) ? header.join() : header, bytes);
  if (exchange.bytes.length > bodyLimitOf(route)) throw new ServiceError(801);
};

/** Bytes that cost no more to parse than the request itself. The body of a usual log-in has fewer. */
const cheapToParse = 8 * 1024;

/**
 * Parses body and query, then validates their fields. Invalid JSON: 311, in a secure session 312. Throws 706 for a long
 * body if the network has used up its processor time for clients that are not authenticated.
 */
const parseInput: Step = (exchange, { budget, settings }) => {
  const { access, bytes, origin, route, queryString } = exchange;
  if (settings.debugMessages && route.query !== undefined && hasOtherParameters(route.query, queryString))
    exchange.hint = unknownParameters(route.query, queryString);
  if (access === "session" || bytes.length <= cheapToParse) return parseAll(exchange);
  return budget.spend(origin.network, () => parseAll(exchange));
};

function parseAll(exchange: Exchange): void {
  const { route, bytes, channel, queryString } = exchange;
  if (route.body?.form !== undefined) {
    exchange.body = parseForm(route.body, Object.fromEntries(formFields(bytes)));
  } else if (bytes.length > 0 || route.body !== undefined) {
    // A body that the route ignores must still be valid JSON.
    const body = bytes.length === 0 ? undefined : parseJson(bytes, channel === null ? 311 : 312);
    exchange.body = validatedBody(route.body?.json === undefined ? undefined : route.body, body);
  }
  exchange.query = parseQuery(route.query, queryString);
}

/** A step, the check that explains its refusal, and the requests that need it. Default: all. */
type PlannedStep = readonly [check: RequestCheck, step: Step, isNeeded?: (route: Route, isSecure: boolean) => boolean];

const mayHaveSession = ({ access }: Route): boolean => access === "session" || access === "optional";
const mayHaveSecrets = ({ access }: Route): boolean => access !== "public" && access !== "appKey";
const inSecureSession = (_route: Route, isSecure: boolean): boolean => isSecure;
/** In a secure session every body is read, because it is encrypted. */
const mayHaveBody = ({ body }: Route, isSecure: boolean): boolean =>
  isSecure || (body !== undefined && body.stream === undefined);

/** The steps until the caller is known, in order. The first error decides the response. */
const callerSteps: readonly PlannedStep[] = [
  ["capacity", shedLoad],
  ["service", admit],
  ["appKey", checkAppKey],
  ["rate", limitRate],
  ["transport", requireSecureTransport, mayHaveSecrets],
  ["session", checkSession, mayHaveSession],
  ["session", checkAdministrator, ({ administration }) => administration],
];

/** The operator needs no app key and no session. */
const operatorSteps: readonly PlannedStep[] = [["service", admitOperator]];

/** The steps that follow. */
const operationSteps: readonly PlannedStep[] = [
  ["channel", openChannel, inSecureSession],
  ["enrolment", checkEnrolment, (route) => mayHaveSession(route) && route.enrolling !== true],
  ["enrolment", checkProof, ({ proof }) => proof === true],
  ["contentType", checkContentType, mayHaveBody],
  ["body", readBody, mayHaveBody],
  ["message", openMessage, inSecureSession],
  ["body", openStream, ({ body }) => body?.stream !== undefined],
  ["fields", parseInput],
  ["operation", handle],
];

/**
 * The steps of the requests of each route. A request takes no step that its route cannot need. `isForOperator`: whether all
 * requests are those of the operator.
 */
export function stepsOfRoutes(routes: readonly Route[], isForOperator = false): ReadonlyMap<Route, RouteSteps> {
  const needed = (steps: readonly PlannedStep[], route: Route, isSecure: boolean): readonly CheckedStep[] =>
    steps.flatMap(([check, step, isNeeded]) => (isNeeded?.(route, isSecure) === false ? [] : [[check, step]]));
  return new Map(
    routes.map((route) => [
      route,
      {
        caller: needed(isForOperator ? operatorSteps : callerSteps, route, false),
        plain: needed(operationSteps, route, false),
        secure: needed(operationSteps, route, true),
      },
    ]),
  );
}

const preflightSteps: readonly CheckedStep[] = [
  ["capacity", shedLoad],
  ["rate", limitPreflight],
  ["preflight", answerPreflight],
];

/** The key set belongs to no database and needs no app key. */
const keySetSteps: readonly CheckedStep[] = [
  [null, findKeySetMethod],
  [null, shedLoad],
  [null, answerKeySet],
];

/** Takes steps until one fails. The last one writes the response. */
async function take(steps: readonly CheckedStep[], exchange: Exchange, parts: PipelineParts): Promise<void> {
  for (const [check, step] of steps) {
    exchange.check = check;
    const pending = step(exchange, parts);
    if (pending !== undefined) await pending;
  }
}

/** Finds out what a request is for, then takes the steps of its kind. */
export async function runPipeline(exchange: Exchange, parts: PipelineParts): Promise<void> {
  try {
    checkMessage(exchange);
    findPath(exchange, parts);
    if (exchange.matched === keySet) return await take(keySetSteps, exchange, parts);
    findMethod(exchange);
    const waking = findDatabase(exchange, parts);
    if (waking !== undefined) await waking;
    if (exchange.isPreflight) return await take(preflightSteps, exchange, parts);
    const { caller, plain, secure } = parts.steps.get(exchange.route) as RouteSteps;
    await take(caller, exchange, parts);
    await take(secureSession(exchange) === null ? plain : secure, exchange, parts);
  } catch (error) {
    if (!(await admitOrigin(exchange, error, parts))) throw error;
  } finally {
    exchange.stream?.close();
  }
}
