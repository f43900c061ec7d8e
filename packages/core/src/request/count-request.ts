import { type AppKey, type Digest, ServiceError, type Session } from "@sallyport/storage";
import type { OnRefusal, RateKeys, RequestRates } from "../capacity/index.ts";
import { blankEvent } from "./audit-events.ts";
import type { RequestContext } from "./request-context.ts";

/** A request whose rate is limited. */
export interface CountedRequest extends Pick<RequestContext, "requestId" | "origin" | "database"> {
  readonly appKey: AppKey | null;
  readonly session: Session | null;
  readonly sessionDigest: Digest | null;
}

/** Counts a request. Throws 800, without counting it, beyond a rate. */
export function countRequest(request: CountedRequest, rates: RequestRates): void | Promise<void> {
  return rates.take(keysOf(request), tallyOf(request));
}

/** The items of a request that are within the rates: the first `allowed` ones. */
export interface CountedItems {
  readonly allowed: number;
  /** Why the others are not; `null` if there are none. */
  readonly refusal: ServiceError | null;
}

/**
 * Counts the items of a request as requests. The request itself has counted the first one.
 *
 * @param together counts all or none, so that a repetition after `Retry-After` finds enough tokens
 */
export async function countItems(
  request: CountedRequest,
  rates: RequestRates | null,
  items: { readonly count: number; readonly together: boolean },
): Promise<CountedItems> {
  if (rates === null) return { allowed: items.count, refusal: null };
  const step = items.together ? items.count - 1 : 1;
  for (let allowed = 1; allowed < items.count; allowed += step) {
    try {
      // A repetition as a whole takes the token of the request, too.
      await rates.take(keysOf(request), tallyOf(request), step, items.together ? items.count : 1);
    } catch (error) {
      if (error instanceof ServiceError) return { allowed, refusal: error };
      throw error;
    }
  }
  return { allowed: items.count, refusal: null };
}

/** Throws 800 beyond a rate. Counts nothing. */
export function checkRate(request: CountedRequest, rates: RequestRates): void {
  rates.check(keysOf(request), tallyOf(request));
}

/** A session counts only if it exists: clients could fill the memory with others. */
function keysOf({ origin, appKey, session, sessionDigest }: CountedRequest): RateKeys {
  return { address: origin.network, appKey: appKey?.id ?? null, session: session === null ? null : sessionDigest };
}

/** Tallies refusals in the audit. A failure is ignored, as the refusal is answered anyway. */
function tallyOf({ requestId, origin, database, appKey, session }: CountedRequest): OnRefusal {
  return (kind, key) => {
    const event = {
      ...blankEvent,
      type: "requests.refused",
      requestId,
      outcome: 800,
      appKeyId: appKey?.id ?? "",
      actorId: session?.userId ?? null,
      address: origin.address,
    } as const;
    database.storage.repositories.audit.append(event, `rate ${kind} ${key}`).catch(() => {});
  };
}
