import {
  administrationAppName,
  administrationIdleTimeout,
  endRestingSession,
  publicSessionId,
  type SessionTraffic,
  trafficOf,
} from "../access/index.ts";
import {
  allPages,
  type Digest,
  type LiveSession,
  type ObjectId,
  type PageRequest,
  type Repositories,
  ServiceError,
  type SessionMatch,
  type SessionPolicy,
} from "@sallyport/storage";
import { type AdministrationContext, changesBetween } from "../request/index.ts";

const digestDigits = 64;

/** A session as administrators see it. */
export interface AdministeredSession extends Omit<LiveSession, "digest" | "wrappedKey"> {
  /** Public id. Opens nothing: the server finds a session by the complete digest of its id only. */
  readonly id: string;
  /** Log-in name of the user, or of the custom user. Empty without an account. */
  readonly user: string;
  /** Name of the app key. Empty if it is unknown. */
  readonly appKey: string;
  /** Time of the last request, as far as storage knows it. */
  readonly lastSeenAt: number;
  /** As of the last minute. */
  readonly bytes: SessionTraffic;
}

export interface ListSessionsInput {
  readonly matching: SessionMatch;
  /** `after`: a public id. */
  readonly page: PageRequest;
}

/** Lists live sessions by public id. 307: `after` is not a public id. */
export async function listSessions(
  { r, database }: Pick<AdministrationContext, "r" | "database">,
  { matching, page: { after, limit } }: ListSessionsInput,
): Promise<AdministeredSession[]> {
  if (after !== null && !isPublicId(after))
    throw new ServiceError(307, { detail: "at /after: a public id is expected" });
  const page = { after: after === null ? null : lastOf(after), limit };
  const isLimited = Object.keys(matching).length > 0;
  const listed = await r.sessions.list(page, isLimited ? { matching } : undefined);
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
    lastSeenAt: lastSeenOf(session, database.policy.sessions),
    bytes: traffic.get(digest) ?? { received: 0, sent: 0 },
  }));
}

/** Each use moves the end, unless it was moved within the last minutes. */
function lastSeenOf(
  { appNames, openedAt, expiresAt }: Omit<LiveSession, "digest" | "wrappedKey">,
  policy: SessionPolicy,
): number {
  const isOfAdministrator = appNames.includes(administrationAppName);
  const idleTimeout = isOfAdministrator ? administrationIdleTimeout(policy) : policy.idleTimeout;
  return Math.max(openedAt, expiresAt - idleTimeout);
}

function accountOf({ customAccountId, userId }: Pick<LiveSession, "customAccountId" | "userId">): string {
  return customAccountId ?? userId;
}

async function namesOf({ accounts }: Repositories, sessions: readonly LiveSession[]): Promise<Map<string, string>> {
  const ids = [...new Set(sessions.map(accountOf))];
  const results = await Promise.all(ids.map((id) => accounts.find({ id }, [])));
  return new Map(
    results.flatMap(({ account }) => (account === null ? [] : [[account.id, account.loginName] as const])),
  );
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

/** The sessions of a user, of a device, or of a user on a device. */
export type SessionsToEnd =
  | { readonly userId: ObjectId; readonly deviceId?: string }
  | { readonly userId?: ObjectId; readonly deviceId: string };

/** Ends sessions. Returns their number. */
export function endSessions({ unit, eventOf }: AdministrationContext, { userId, deviceId }: SessionsToEnd) {
  return unit.transaction(async (r): Promise<number> => {
    const count =
      deviceId === undefined
        ? await r.sessions.end({ userId: userId as ObjectId })
        : await endOnDevice(r, userId === undefined ? { deviceId } : { userId, deviceId });
    const changes = deviceId === undefined ? [] : changesBetween({ deviceId }, null);
    await r.audit.append(eventOf({ type: "sessions.ended", subjectId: userId ?? null, changes }));
    return count;
  });
}

/** Sessions that are read at once. */
const pageSize = 500;

async function endOnDevice({ sessions }: Repositories, matching: SessionMatch): Promise<number> {
  const listed = await allPages(
    (page: PageRequest) => sessions.list(page, { matching }),
    ({ digest }) => digest,
    pageSize,
  );
  return listed.length === 0 ? 0 : sessions.end({ digests: listed.map(({ digest }) => digest) });
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
