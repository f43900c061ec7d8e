import { type Digest, type RecordKind, type Repositories, untilDone } from "@sallyport/storage";

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

/**
 * Notes a resting session, so that it ends with the other one, and ends the former. Call it in the transaction that opens
 * the session: of concurrent openings, one session stays. `lifetime`: milliseconds.
 */
export async function replaceRestingSession(
  r: Pick<Repositories, "records" | "sessions">,
  { restsOn, digest, lifetime }: { readonly restsOn: Digest; readonly digest: Digest; readonly lifetime: number },
): Promise<void> {
  await untilDone(async () => {
    await endRestingSession(r, restsOn);
    // Waits for another opening, and then finds its session.
    const outcome = await r.records.put(restingSessions, restsOn, digest, { lifetime, ifVersion: "none" });
    return outcome === "stored" || undefined;
  });
}

/** Ends the session that rests on this one, if there is one. */
export async function endRestingSession(
  { records, sessions }: Pick<Repositories, "records" | "sessions">,
  restsOn: Digest,
): Promise<void> {
  const digest = await records.take(restingSessions, restsOn);
  if (digest !== null) await sessions.end({ digest });
}
