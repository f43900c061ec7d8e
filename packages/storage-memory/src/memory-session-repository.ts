import {
  acceptStorable,
  channelOf,
  type Digest,
  type ExpectedRecord,
  type ListedSession,
  type LiveSession,
  type SeatKind,
  type SeatLimit,
  ServiceError,
  type Session,
  type SessionRepository,
  type SessionSelector,
} from "@sallyport/storage";
import type { Access } from "./access.ts";
import { openedChannel } from "./channel-record.ts";
import { livingRecord } from "./memory-record-repository.ts";
import { frozenCopy } from "./table.ts";
import { isLive, type SessionRecord } from "./records.ts";
import type { State } from "./state.ts";

export const memorySessionRepository = (access: Access): SessionRepository => ({
  async open(newSession, policy) {
    const { channel: _channel, ...bare } = newSession;
    const { digest, secretVersion, address = null, ...opened } = frozenCopy(bare);
    acceptStorable([
      newSession.deviceId,
      newSession.address,
      newSession.appNames,
      policy.basis?.map(({ id }) => id) ?? [],
    ]);
    const session: Session = { ...opened, reservedNames: [], enrolling: opened.appNames.length === 0 };
    const channel = channelOf(newSession);
    const channelRecord = channel === null ? null : openedChannel(channel);
    return access.write((state, now) => {
      const { sessions } = state;
      requireBasis(state, now, policy.basis);
      const live = liveSessions(state, now);
      const others = live.filter(([, record]) => !sharesDevice(session, record.session));
      const ofUser = others.filter(([, record]) => record.session.userId === session.userId);
      const remaining = Math.min(
        policy.perDevice,
        sessionsToEnd(others.length, policy.limit),
        sessionsToEnd(ofUser.length, policy.perUserLimit),
      );
      // Entries are ordered by age, and the sort is stable.
      const ofDevice = live
        .filter(([, record]) => sharesDevice(session, record.session))
        .toSorted(([, one], [, other]) => one.expiresAt - other.expiresAt);
      const ending = ofDevice.slice(0, Math.max(0, ofDevice.length - Math.max(0, remaining - 1)));
      const staying = live.filter(([old]) => !ending.some(([ended]) => ended === old));
      requireSeats(staying, [digest, session], policy.seats ?? []);
      if (remaining < 1) throw new ServiceError(315);
      if (sessions.has(digest)) throw new ServiceError(799, { detail: "The digest of a new session is in use." });
      for (const [old] of ending) forget(state, old);
      const endsAt = now + policy.absoluteLifetime;
      const expiresAt = Math.min(now + policy.idleTimeout, endsAt);
      const times = { openedAt: now, expiresAt, endsAt };
      sessions.set(digest, { session: Object.freeze(session), secretVersion, address, ...times });
      if (channelRecord !== null) state.channels.set(digest, channelRecord);
    });
  },

  async changeAppNames(digest, change) {
    acceptStorable(change);
    return access.write((state, now) => {
      if ("reserve" in change) requireBasis(state, now, change.basis);
      const record = state.sessions.get(digest);
      if (record === undefined || !isLive(record, now)) return "ended";
      const { session } = record;
      const { appNames, reservedNames } = session;
      const held = heldNames(session);
      const keep = (changed: Partial<Session>) =>
        state.sessions.set(digest, { ...record, session: Object.freeze({ ...session, ...changed }) });
      if ("release" in change) {
        const isKept = (name: string) => !change.release.includes(name);
        if (!change.release.every((name) => held.includes(name))) return "notHeld";
        keep({ appNames: appNames.filter(isKept), reservedNames: reservedNames.filter(isKept) });
        return "changed";
      }
      const isNew = (name: string) => !held.includes(name);
      const limits = change.limits.filter(({ name }) => isNew(name));
      requireSeats(liveSessions(state, now), [digest, session], limits);
      keep({ reservedNames: [...reservedNames, ...new Set(change.reserve.filter(isNew))] });
      return "changed";
    });
  },

  async end(selector) {
    const end = (which: readonly Digest[] | null) =>
      access.write((state, now) => {
        const ended = [...selected(state, selector)].filter(
          ([digest, record]) => isLive(record, now) && which?.includes(digest) !== false,
        );
        for (const [digest] of ended) forget(state, digest);
        return ended.length;
      });
    const choice = "matching" in selector ? selector.choice : undefined;
    if (choice === undefined) return end(null);
    const listed = await access.read((state, now) =>
      [...selected(state, selector)].filter(([, record]) => isLive(record, now)).map(listedSession),
    );
    let ended = 0;
    for (let first = 0; first <= listed.length; first += pageSize)
      ended += await end(await choice.choose(listed.slice(first, first + pageSize)));
    return ended;
  },

  renew: (digest, secretVersion) =>
    access.write(({ sessions }, now) => {
      const record = sessions.get(digest);
      if (record === undefined || !isLive(record, now)) return false;
      const { authenticationMethod } = record.session;
      const renewed =
        authenticationMethod.kind === "custom"
          ? {
              session: Object.freeze({
                ...record.session,
                authenticationMethod: { ...authenticationMethod, secretVersion },
              }),
            }
          : { secretVersion };
      sessions.set(digest, { ...record, ...renewed });
      return true;
    }),

  list: ({ after, limit }, selector) =>
    access.read((state, now) => {
      const listed = selector === undefined ? [...state.sessions.entries()] : [...selected(state, selector)];
      return listed
        .filter(([digest, record]) => isLive(record, now) && (after === null || digest > after))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit)
        .map((entry) => liveSession(state, entry));
    }),

  count: (seats) =>
    access.read((state, now) => {
      const live = liveSessions(state, now);
      return seats === undefined ? live.length : seatHolders(live, seats).size;
    }),

  sweep: (limit) =>
    access.write((state, now) => {
      const over = [...state.sessions.entries()].filter(([, record]) => !isLive(record, now)).slice(0, limit);
      for (const [digest] of over) forget(state, digest);
      return over.length;
    }),
});

/** Sessions that `choose` gets at once. */
const pageSize = 500;

function listedSession([digest, { session, openedAt }]: SessionEntry): ListedSession {
  const { userId, deviceId } = session;
  return { digest, userId, deviceId, appNames: heldNames(session), openedAt };
}

/** Throws 318 if a record has another version now. */
function requireBasis(state: State, now: number, basis: readonly ExpectedRecord[] = []): void {
  for (const { kind, id, version } of basis) {
    if ((livingRecord(state, kind, id, now)?.version ?? 0) !== version) throw new ServiceError(318);
  }
}

type SessionEntry = readonly [Digest, SessionRecord];

function liveSessions({ sessions }: State, now: number): SessionEntry[] {
  return [...sessions.entries()].filter(([, record]) => isLive(record, now));
}

function heldNames({ appNames, reservedNames }: Session): string[] {
  return [...appNames, ...reservedNames];
}

/** Throws 306 if a limited app name has neither a free seat among the live sessions nor one that the session shares. */
function requireSeats(
  live: readonly SessionEntry[],
  [digest, session]: readonly [Digest, Session],
  limits: readonly SeatLimit[],
): void {
  for (const limit of limits) {
    const holders = seatHolders(live, limit);
    if (holders.size >= limit.seats && !holders.has(seatHolder(limit.kind, digest, session)))
      throw new ServiceError(306);
  }
}

function seatHolders(live: readonly SessionEntry[], { name, kind }: Pick<SeatLimit, "name" | "kind">): Set<string> {
  const holding = live.filter(([, { session }]) => heldNames(session).includes(name));
  return new Set(holding.map(([digest, { session }]) => seatHolder(kind, digest, session)));
}

/** Identifies what takes a seat. Sessions with the same holder share one. */
function seatHolder(kind: SeatKind, digest: Digest, { userId, deviceId }: Session): string {
  if (kind === "user") return userId;
  if (deviceId === null) return JSON.stringify([digest]);
  return JSON.stringify(kind === "device" ? ["device", deviceId] : [userId, deviceId]);
}

/** Removes a session with its channel. */
function forget({ sessions, channels }: State, digest: Digest): void {
  sessions.delete(digest);
  channels.delete(digest);
}

/** The number of sessions of a device, including the new one, that a limit allows beside the others. */
function sessionsToEnd(others: number, limit: number): number {
  return limit > 0 ? limit - others : Infinity;
}

function sharesDevice({ deviceId, userId, appKeyId }: Session, old: Session): boolean {
  return deviceId !== null && old.deviceId === deviceId && old.userId === userId && old.appKeyId === appKeyId;
}

function liveSession(
  { channels }: State,
  [digest, { session, address, openedAt, expiresAt, endsAt }]: SessionEntry,
): LiveSession {
  const { mode, appKeyId, userId, appNames, reservedNames, enrolling, deviceId, authenticationMethod: by } = session;
  return {
    digest,
    mode,
    appKeyId,
    userId,
    appNames,
    reservedNames,
    enrolling,
    deviceId,
    method: by.kind,
    customAccountId: by.kind === "custom" ? by.accountId : null,
    address,
    wrappedKey: channels.get(digest)?.wrappedKey ?? null,
    openedAt,
    expiresAt,
    endsAt,
  };
}

function* selected({ sessions }: State, selector: SessionSelector): Generator<[string, SessionRecord]> {
  if ("digest" in selector) {
    const record = sessions.get(selector.digest);
    if (record !== undefined) yield [selector.digest, record];
    return;
  }
  for (const entry of sessions.entries()) {
    if (isOf(entry[1].session, selector) && !("except" in selector && selector.except === entry[0])) yield entry;
  }
}

function isOf(session: Session, selector: Exclude<SessionSelector, { readonly digest: Digest }>): boolean {
  const { userId, deviceId, authenticationMethod } = session;
  if ("matching" in selector) {
    const { userId: user = userId, deviceId: device = deviceId, appName } = selector.matching;
    return user === userId && device === deviceId && (appName === undefined || heldNames(session).includes(appName));
  }
  if ("userId" in selector) return userId === selector.userId;
  if ("linkId" in selector)
    return authenticationMethod.kind === "provider" && authenticationMethod.link.id === selector.linkId;
  return authenticationMethod.kind === "custom" && authenticationMethod.accountId === selector.customAccountId;
}
