import type { Digest, RecordKind, Repositories } from "@sallyport/storage";

/**
 * A session can rest on that of an administrator: it is refused as soon as that one has ended. Its id names the other one,
 * so that each request looks for both.
 */
export function restingSessionId(restsOn: Digest, secret: string): string {
  return `console.${restsOn}.${secret}`;
}

const ids = /^console\.([0-9a-f]{64})\.[A-Za-z0-9_-]{43}$/;

/** The session on which the one with this id rests; `null` for another id. */
export function basisOfSession(sessionId: string): Digest | null {
  return ids.exec(sessionId)?.[1] ?? null;
}

/** Resting sessions by the session on which they rest. */
const restingSessions: RecordKind<Digest> = "restingSession";

/** Notes a resting session, so that it ends with the other one. `lifetime`: milliseconds. */
export async function keepRestingSession(
  { records }: Pick<Repositories, "records">,
  { restsOn, digest, lifetime }: { readonly restsOn: Digest; readonly digest: Digest; readonly lifetime: number },
): Promise<void> {
  await records.put(restingSessions, restsOn, digest, { lifetime });
}

/** Ends the session that rests on this one, if there is one. */
export async function endRestingSession(
  { records, sessions }: Pick<Repositories, "records" | "sessions">,
  restsOn: Digest,
): Promise<void> {
  const digest = await records.take(restingSessions, restsOn);
  if (digest !== null) await sessions.end({ digest });
}
