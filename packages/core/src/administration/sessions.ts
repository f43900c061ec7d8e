import { endRestingSession, publicSessionId, type SessionTraffic, trafficOf } from "../access/index.ts";
import {
  allPages,
  type Digest,
  type LiveSession,
  type ObjectId,
  type PageRequest,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import type { AdministrationContext } from "../request/index.ts";

const digestDigits = 64;

/** A session as administrators see it. */
export interface AdministeredSession extends Omit<LiveSession, "digest" | "wrappedKey"> {
  /** Public id. Opens nothing: the server finds a session by the complete digest of its id only. */
  readonly id: string;
  /** Log-in name of the user, or of the custom user. Empty without an account. */
  readonly user: string;
  /** Name of the app key. Empty if it is unknown. */
  readonly appKey: string;
  /** As of the last minute. */
  readonly bytes: SessionTraffic;
}

export interface ListSessionsInput {
  readonly userId: ObjectId | null;
  /** `after`: a public id. */
  readonly page: PageRequest;
}

/** Lists live sessions by public id. 307: `after` is not a public id. */
export async function listSessions(
  { r }: Pick<AdministrationContext, "r">,
  { userId, page: { after, limit } }: ListSessionsInput,
): Promise<AdministeredSession[]> {
  if (after !== null && !isPublicId(after))
    throw new ServiceError(307, { detail: "at /after: a public id is expected" });
  const page = { after: after === null ? null : lastOf(after), limit };
  const listed = await r.sessions.list(page, userId === null ? undefined : { userId });
  const appKeys = await allPages(
    (part) => r.appKeys.list(part.after, part.limit),
    ({ name }) => name,
  );
  const names = new Map(appKeys.map(({ id, name }) => [id, name]));
  const [users, traffic] = await Promise.all([
    namesOf(r, listed),
    trafficOf(
      r,
      listed.map(({ digest }) => digest),
    ),
  ]);
  return listed.map(({ digest, wrappedKey: _wrappedKey, ...session }) => ({
    ...session,
    id: publicSessionId(digest),
    user: users.get(accountOf(session)) ?? "",
    appKey: names.get(session.appKeyId) ?? "",
    bytes: traffic.get(digest) ?? { received: 0, sent: 0 },
  }));
}

function accountOf({ customAccountId, userId }: Pick<LiveSession, "customAccountId" | "userId">): string {
  return customAccountId ?? userId;
}

async function namesOf({ accounts }: Repositories, sessions: readonly LiveSession[]): Promise<Map<string, string>> {
  const ids = [...new Set(sessions.map(accountOf))];
  const found = await Promise.all(ids.map((id) => accounts.find({ id }, [])));
  return new Map(found.flatMap(({ account }) => (account === null ? [] : [[account.id, account.loginName] as const])));
}

/** Ends one session by its public id. Unknown or ended session: 304. */
export async function endSession({ unit, eventOf }: AdministrationContext, sessionId: string): Promise<void> {
  const ended = await unit.transaction(async (r) => {
    if (!isPublicId(sessionId)) return 0;
    const [session] = await r.sessions.list({ after: firstOf(sessionId), limit: 1 });
    if (session === undefined || publicSessionId(session.digest) !== sessionId) return 0;
    const count = await r.sessions.end({ digest: session.digest });
    await endRestingSession(r, session.digest);
    if (count > 0) await r.audit.append(eventOf({ type: "sessions.ended", subjectId: session.userId }));
    return count;
  });
  if (ended === 0) throw new ServiceError(304, { detail: "There is no session with this id." });
}

/** Ends all sessions of a user. Returns their number. */
export function endSessionsOfUser({ unit, eventOf }: AdministrationContext, userId: ObjectId): Promise<number> {
  return unit.transaction(async (r) => {
    const count = await r.sessions.end({ userId });
    await r.audit.append(eventOf({ type: "sessions.ended", subjectId: userId }));
    return count;
  });
}

/** Whether a text has the form of a public id. */
export function isPublicId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** The digest before the first one with the public id. */
function firstOf(publicId: string): Digest {
  return publicId.padEnd(digestDigits, "0");
}

function lastOf(publicId: string): Digest {
  return publicId.padEnd(digestDigits, "f");
}
