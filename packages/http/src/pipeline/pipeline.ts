import { parseBody, parseJson } from "../body/json.ts";
import { checkContentType, readBody, shedLoad } from "../body/read-body.ts";
import { formFields, parseQuery } from "../routing/query-string.ts";
import { admit, checkAppKey, checkEnrolment, checkSession } from "./admit.ts";
import { answerKeySet, asksForKeySet, findKeySetMethod } from "./answer-key-set.ts";
import { checkMessage, requireSecureTransport } from "./check-message.ts";
import { answerPreflight } from "./cors.ts";
import type { Exchange, PipelineParts, Step } from "./exchange.ts";
import { findDatabase, findMethod, findPath } from "./find-route.ts";
import { handle } from "./handle.ts";
import { openChannel, openMessage } from "./open-channel.ts";

/** Parses body (311, in a secure session 312, a form never) and query string, then their fields by the schemas of the route. */
const parseInput: Step = (exchange) => {
  const { route, bytes, channel, queryString } = exchange;
  if (route.body?.form !== undefined) {
    exchange.body = parseBody(route.body, Object.fromEntries(formFields(new TextDecoder().decode(bytes))));
    exchange.query = parseQuery(route.query, queryString);
    return;
  }
  // What no route asks for must still be a message.
  const given = bytes.length === 0 ? undefined : parseJson(bytes, channel === null ? 311 : 312);
  exchange.body = parseBody(route.body, given);
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
