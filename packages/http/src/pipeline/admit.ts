import { ServiceError } from "@sallyport/core";
import { type Presented, presentedCredentials } from "../credentials/presented-credentials.ts";
import type { Step } from "./step.ts";

const sessionId = /^[A-Za-z0-9_-]{43}$/;

/** Longer than any app key, shorter than an attack on the digest. */
const longestAppKey = 512;

/** Looks up everything that decides whether the request may enter, in one statement; 706 during maintenance. */
export const admit: Step = async (exchange, { digests }) => {
  const { request, route, database } = exchange;
  const credentials = presentedCredentials(request);
  exchange.credentials = credentials;
  const key = single(credentials.appKey);
  const asksForKey = route.access !== "public";
  const id = route.access === "session" ? single(credentials.sessionId) : null;
  exchange.sessionDigest = id !== null && sessionId.test(id) ? digests.sha256(id) : null;

  exchange.admission = await database.storage.repositories.admission.admit({
    appKey: asksForKey && key !== null && key.length <= longestAppKey ? digests.sha256(key) : null,
    session: exchange.sessionDigest,
    idleTimeout: database.policy.sessions.idleTimeout,
  });
  if (exchange.admission.maintenance) throw new ServiceError(706, { retryAfter: 60 });
};

/** The value of a header that was sent with one value only. */
function single({ value, conflict }: Presented): string | null {
  return conflict ? null : value;
}
