import type { Digest } from "../digests/index.ts";
import { objectNumber } from "../entities/object-id.ts";
import { channelOf, type ExpectedRecord, type SeatKind, type SeatLimit, type Session } from "../entities/session.ts";
import { ServiceError } from "../errors/index.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows, Span } from "../kernel/rows.ts";
import type { LiveSession, SessionMatch, SessionRepository, SessionsOf } from "../ports/session-repository.ts";
import { acceptStorable } from "../entities/storable-text.ts";
import { openedChannel } from "./channels.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { livingRecord } from "./records.ts";
import { channelTable, lockTable, type LockRow, type SessionRow, sessionTable } from "./tables.ts";

export const sessionRepository = (access: Access): SessionRepository => ({
  async open(newSession, policy) {
    const { channel: _channel, ...bare } = newSession;
    const { digest, secretVersion, address = null, ...opened } = frozenCopy(bare);
    acceptStorable([
      newSession.deviceId,
      newSession.address,
      newSession.appNames,
      policy.basis?.map(({ id }) => id) ?? [],
    ]);
    const session: SessionRow["session"] = { ...opened, reservedNames: [], enrolling: opened.appNames.length === 0 };
    const newChannel = channelOf(newSession);
    const channel = newChannel === null ? null : openedChannel(digest, newChannel);
    return access.write(async (rows) => {
      const now = await rows.now();
      await requireBasis(rows, now, policy.basis);
      const ofDevice = await sessionsOfDevice(rows, session, now);
      const others = async (span: Span<keyof typeof sessionTable.indexes>) =>
        (await rows.count(sessionTable, span)) - ofDevice.length;
      const remaining = Math.min(
        policy.perDevice,
        policy.limit > 0 ? policy.limit - (await others({ index: "byExpiry", after: [now] })) : Infinity,
        policy.perUserLimit > 0
          ? policy.perUserLimit - (await others({ index: "byUser", of: [session.userId], after: [now] }))
          : Infinity,
      );
      const ending = ofDevice.slice(0, Math.max(0, ofDevice.length - Math.max(0, remaining - 1)));
      const ended = ending.map((row) => row.digest);
      await requireSeats(rows, now, { digest, session }, policy.seats ?? [], new Set(ended));
      if (remaining < 1) throw new ServiceError(315);
      if ((await rows.get(sessionTable, digest)) !== undefined)
        throw new ServiceError(799, { detail: "The digest of a new session is in use." });
      await forget(rows, ended);
      const endsAt = now + policy.absoluteLifetime;
      const expiresAt = Math.min(now + policy.idleTimeout, endsAt);
      const times = { openedAt: now, opened: await rows.stamp(), expiresAt, endsAt };
      await rows.put(sessionTable, { digest, session, secretVersion, address, ...times });
      if (channel !== null) await rows.put(channelTable, channel);
    });
  },

  async changeAppNames(digest, change) {
    acceptStorable(change);
    return access.write(async (rows) => {
      const now = await rows.now();
      if ("reserve" in change) await requireBasis(rows, now, change.basis);
      const row = await liveSession(rows, digest, now);
      if (row === undefined) return "ended";
      const { session } = row;
      const { appNames, reservedNames } = session;
      const ownNames = heldNames(session);
      const keep = (changed: Partial<Session>) =>
        rows.put(sessionTable, { ...row, session: Object.freeze({ ...session, ...changed }) });
      if ("release" in change) {
        const isKept = (name: string) => !change.release.includes(name);
        if (!change.release.every((name) => ownNames.includes(name))) return "notHeld";
        await keep({ appNames: appNames.filter(isKept), reservedNames: reservedNames.filter(isKept) });
        return "changed";
      }
      const isNew = (name: string) => !ownNames.includes(name);
      await requireSeats(rows, now, row, change.limits, new Set());
      await keep({ reservedNames: [...reservedNames, ...new Set(change.reserve.filter(isNew))] });
      return "changed";
    });
  },

  end: (selector) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const sessions =
        "digests" in selector
          ? (await rows.getAll(sessionTable, keysOf(selector.digests))).filter((row) => isLive(row, now))
          : await selected(rows, selector, now);
      return forget(
        rows,
        sessions.map(({ digest }) => digest),
      );
    }),

  renew: (digest, secretVersion) =>
    access.write(async (rows) => {
      const row = await liveSession(rows, digest, await rows.now());
      if (row === undefined) return false;
      const { authenticationMethod: by } = row.session;
      const renewed =
        by.kind === "custom"
          ? { session: Object.freeze({ ...row.session, authenticationMethod: { ...by, secretVersion } }) }
          : { secretVersion };
      await rows.put(sessionTable, { ...row, ...renewed });
      return true;
    }),

  list: ({ after, limit }, selector) =>
    access.read(async (rows) => {
      const now = await rows.now();
      const page: SessionRow[] = [];
      if (selector === undefined) {
        const span = after === null ? {} : { after: [after] };
        if (limit > 0)
          for await (const row of rows.each(sessionTable, span)) if (isLive(row, now) && page.push(row) >= limit) break;
      } else {
        const sessions = (await selected(rows, selector, now)).filter(({ digest }) => after === null || digest > after);
        page.push(...sessions.toSorted((one, other) => (one.digest < other.digest ? -1 : 1)).slice(0, limit));
      }
      const channels = await rows.getAll(
        channelTable,
        page.map(({ digest }) => [digest]),
      );
      const keys = new Map(channels.map(({ digest, wrappedKey }) => [digest, wrappedKey]));
      return page.map((row) => shownSession(row, keys.get(row.digest) ?? null));
    }),

  count: (seats) =>
    access.read(async (rows) => {
      const now = await rows.now();
      if (seats === undefined) return rows.count(sessionTable, { index: "byExpiry", after: [now] });
      return (await seatHolders(rows, now, seats, new Set())).size;
    }),

  sweep: (limit) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const over = await rows.list(sessionTable, { index: "byExpiry", through: [now] }, limit);
      const forgotten = await forget(
        rows,
        over.map(({ digest }) => digest),
      );
      return forgotten + (await forgetLocks(rows, now, limit - forgotten));
    }),
});

/** Deletes locks of ended sessions. Returns their number. */
async function forgetLocks(rows: Rows, now: number, limit: number): Promise<number> {
  const over: LockRow[] = [];
  // From session to session, so that the locks of live ones cost nothing.
  let first = await rows.first(lockTable, { index: "bySession" });
  while (first !== undefined && over.length < limit) {
    const { session } = first;
    if ((await liveSession(rows, session, now)) === undefined)
      over.push(...(await rows.list(lockTable, { index: "bySession", of: [session] }, limit - over.length)));
    first = await rows.first(lockTable, { index: "bySession", after: [session] });
  }
  await rows.delete(lockTable, ...over.map(({ id }) => [objectNumber(id)]));
  return over.length;
}

export function isLive({ expiresAt }: Pick<SessionRow, "expiresAt">, now: number): boolean {
  return now < expiresAt;
}

/** The live session of a digest; `undefined` if there is none. */
export async function liveSession(rows: RowReader, digest: Digest, now: number): Promise<SessionRow | undefined> {
  const row = await rows.get(sessionTable, digest);
  return row !== undefined && isLive(row, now) ? row : undefined;
}

/** Throws 318 if a record has another version now. */
async function requireBasis(rows: RowReader, now: number, basis: readonly ExpectedRecord[] = []): Promise<void> {
  for (const { kind, id, version } of basis)
    if (((await livingRecord(rows, kind, id, now))?.version ?? 0) !== version) throw new ServiceError(318);
}

/** The live sessions of the user, app key and device of a session; the first to end first. */
async function sessionsOfDevice(
  rows: RowReader,
  { deviceId, userId, appKeyId }: SessionRow["session"],
  now: number,
): Promise<SessionRow[]> {
  if (deviceId === null) return [];
  const all = await rows.list(sessionTable, { index: "byDevice", of: [deviceId] }, Infinity);
  return all
    .filter((row) => isLive(row, now) && row.session.userId === userId && row.session.appKeyId === appKeyId)
    .toSorted((one, other) => one.expiresAt - other.expiresAt || one.opened - other.opened);
}

function heldNames({ appNames, reservedNames }: SessionRow["session"]): string[] {
  return [...appNames, ...reservedNames];
}

/** Throws 306 if a limited app name has neither a free seat nor one that the session shares. Ending sessions have no seats. */
async function requireSeats(
  rows: RowReader,
  now: number,
  asking: Pick<SessionRow, "digest" | "session">,
  limits: readonly SeatLimit[],
  ending: ReadonlySet<Digest>,
): Promise<void> {
  for (const limit of limits) {
    const holders = await seatHolders(rows, now, limit, ending);
    if (holders.size >= limit.seats && !holders.has(seatHolder(limit.kind, asking))) throw new ServiceError(306);
  }
}

/** The takers of the seats of an app name. */
async function seatHolders(
  rows: RowReader,
  now: number,
  { name, kind }: Pick<SeatLimit, "name" | "kind">,
  ending: ReadonlySet<Digest>,
): Promise<Set<string>> {
  const holders = new Set<string>();
  for await (const row of rows.each(sessionTable, { index: "byAppName", of: [name] }))
    if (isLive(row, now) && !ending.has(row.digest)) holders.add(seatHolder(kind, row));
  return holders;
}

/** Identifies what takes a seat. Sessions with the same holder share one. */
function seatHolder(kind: SeatKind, { digest, session }: Pick<SessionRow, "digest" | "session">): string {
  const { userId, deviceId } = session;
  if (kind === "user") return userId;
  if (deviceId === null) return JSON.stringify([digest]);
  return JSON.stringify(kind === "device" ? ["device", deviceId] : [userId, deviceId]);
}

function keysOf(digests: readonly Digest[]): [Digest][] {
  return digests.map((digest) => [digest]);
}

/** Removes sessions with their channels. Returns their number. */
async function forget(rows: Rows, digests: readonly Digest[]): Promise<number> {
  const keys = keysOf(digests);
  await rows.delete(sessionTable, ...keys);
  await rows.delete(channelTable, ...keys);
  return digests.length;
}

function shownSession(row: SessionRow, wrappedKey: string | null): LiveSession {
  const { digest, session, address, openedAt, expiresAt, endsAt } = row;
  const { mode, appKeyId, userId, appNames, reservedNames, enrolling, deviceId, authenticationMethod: by } = session;
  const own = { digest, mode, appKeyId, userId, appNames, reservedNames, enrolling, deviceId };
  const customAccountId = by.kind === "custom" ? by.accountId : null;
  return { ...own, method: by.kind, customAccountId, address, wrappedKey, openedAt, expiresAt, endsAt };
}

type Selector = SessionsOf | { readonly matching: SessionMatch };

/** The live sessions that a selector names. */
async function selected(rows: RowReader, selector: Selector, now: number): Promise<SessionRow[]> {
  if ("digest" in selector) {
    const row = await liveSession(rows, selector.digest, now);
    return row === undefined ? [] : [row];
  }
  const except = "except" in selector ? selector.except : undefined;
  const sessions: SessionRow[] = [];
  for await (const row of rows.each(sessionTable, spanOf(selector)))
    if (isLive(row, now) && row.digest !== except && isMatch(row, selector)) sessions.push(row);
  return sessions;
}

/** A part of the sessions that contains all selected ones. */
function spanOf(selector: Exclude<Selector, { readonly digest: Digest }>): Span<keyof typeof sessionTable.indexes> {
  if ("userId" in selector) return { index: "byUser", of: [selector.userId] };
  if ("linkId" in selector) return { index: "byMethod", of: ["link", selector.linkId] };
  if ("customAccountId" in selector) return { index: "byMethod", of: ["custom", selector.customAccountId] };
  const { userId, deviceId, appName } = selector.matching;
  if (userId !== undefined) return { index: "byUser", of: [userId] };
  if (deviceId !== undefined) return { index: "byDevice", of: [deviceId] };
  return appName === undefined ? {} : { index: "byAppName", of: [appName] };
}

function isMatch({ session }: SessionRow, selector: Selector): boolean {
  if (!("matching" in selector)) return true;
  // The part that `spanOf` names has no sessions of other users.
  const { deviceId = session.deviceId, appName } = selector.matching;
  return deviceId === session.deviceId && (appName === undefined || heldNames(session).includes(appName));
}
