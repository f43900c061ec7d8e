import { type AppKey, explained, type Finding, ServiceError } from "@sallyport/storage";
import { checkRate, countRequest, type CountedRequest, type EffectiveLimits, requestChecks } from "@sallyport/core";
import { leavesTooMuchUnread } from "../answer.ts";
import { isSpared } from "../exchange/administrator-checks.ts";
import { allowOrigin } from "./cors.ts";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";

/**
 * Throws 706 if the server is overloaded, or the client's network has too many unread bytes. Few requests of
 * administration are spared, as no credential is checked yet.
 */
export const shedLoad: Step = ({ route, origin, sendBufferBytes, share }, { load }) => {
  const { overload } = load;
  if (overload !== null && !(isSpared(route) && route.access !== "public" && load.spare(share)))
    throw new ServiceError(706, { retryAfter: 1, detail: overload });
  if (sendBufferBytes.isFull(origin.network)) throw leavesTooMuchUnread();
};

/** Counts the request. Throws 800 beyond a rate. See `refuseEarly` for floods. */
export const limitRate: Step = (exchange) => {
  const { database, access, admission, appKeyDigest } = exchange;
  const r = database.storage.repositories;
  const limits =
    access === "address"
      ? database.limits.latest({ r })
      : database.limits.current({ r, settingsGeneration: admission.settingsGeneration });
  if (!(limits instanceof Promise) && limits.rates === null) return;
  const count = ({ rates }: EffectiveLimits): void | Promise<void> => {
    if (rates === null) return;
    if (access !== "address") rates.admit(appKeyDigest ?? withoutKey, admission.appKey);
    return countRequest(countedRequest(exchange, admission.appKey), rates);
  };
  return limits instanceof Promise ? limits.then(count) : count(limits);
};

/** Counts a preflight, which has no app key. Throws 800 beyond the rate of the address. */
export const limitPreflight: Step = (exchange) => {
  const { database } = exchange;
  const limits = database.limits.latest({ r: database.storage.repositories });
  const count = ({ rates }: EffectiveLimits): void | Promise<void> =>
    rates === null ? undefined : countRequest(countedRequest(exchange, null), rates);
  return limits instanceof Promise ? limits.then(count) : count(limits);
};

/** Stands for the app key of requests that need none. */
const withoutKey = "";

/**
 * Throws 800 before the admission, without a statement, if the address or the app key is beyond its rate. App key and
 * maintenance precede the rate in the order of checks, so this needs a request with the same app key that was admitted
 * within the last quarter of a second. Sessions are left to `limitRate`: whether one exists is known only after the admission.
 */
export function refuseEarly(exchange: Exchange, asksForKey: boolean, { listedOrigins }: PipelineParts): void {
  const { database, appKeyDigest } = exchange;
  const { rates } = database.limits;
  if (!rates.active || (asksForKey && appKeyDigest === null)) return;
  const admitted = rates.admittedKey(appKeyDigest ?? withoutKey);
  if (admitted === undefined) return;
  try {
    checkRate(countedRequest(exchange, admitted.appKey), rates);
  } catch (error) {
    if (admitted.appKey !== null) allowOrigin(exchange, admitted.appKey, listedOrigins);
    throw error instanceof ServiceError ? explained(error, findingOf(error)) : error;
  }
}

/** The step that refuses early is another one. */
function findingOf({ detail = "" }: ServiceError): Finding {
  return { asked: requestChecks.rate, found: `No: ${detail}` };
}

function countedRequest(exchange: Exchange, appKey: AppKey | null): CountedRequest {
  const { requestId, origin, database, admission, session } = exchange;
  return {
    requestId,
    origin,
    database,
    appKey,
    session: admission?.session ?? null,
    sessionDigest: session?.digest ?? null,
  };
}
