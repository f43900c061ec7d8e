import { admit } from "./admit.ts";
import { answerPreflight } from "./answer-preflight.ts";
import { checkAppKey } from "./check-app-key.ts";
import { checkContentType } from "./check-content-type.ts";
import { checkEnrolment } from "./check-enrolment.ts";
import { checkMessage } from "./check-message.ts";
import { checkSession } from "./check-session.ts";
import type { Exchange } from "./exchange.ts";
import { findDatabase } from "./find-database.ts";
import { findMethod } from "./find-method.ts";
import { findPath } from "./find-path.ts";
import { handle } from "./handle.ts";
import { openChannel } from "./open-channel.ts";
import { openMessage } from "./open-message.ts";
import { parseInput } from "./parse-input.ts";
import { readBody } from "./read-body.ts";
import { requireSecureTransport } from "./require-secure-transport.ts";
import { answerKeySet, asksForKeySet, findKeySetMethod } from "../well-known/answer-key-set.ts";
import { shedLoad } from "./shed-load.ts";
import type { PipelineParts, Step } from "./step.ts";

/** Every request takes these steps in this order; the first that refuses decides the answer. */
export const steps: readonly Step[] = [
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
