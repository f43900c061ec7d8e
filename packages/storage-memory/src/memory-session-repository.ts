import {
  acceptStorable,
  channelOf,
  type Digest,
  ServiceError,
  type Session,
  type SessionRepository,
  type SessionSelector,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import { openedChannel } from "./channel-record.ts";
import { frozenCopy } from "./table.ts";
import { isLive, type SessionRecord } from "./records.ts";
import type { State } from "./state.ts";

export const memorySessionRepository = (access: Access): SessionRepository => ({
  async open(newSession, policy) {
    const { channel: _channel, ...bare } = newSession;
    const { digest, secretVersion, ...session } = frozenCopy(bare);
    acceptStorable([newSession.deviceId, newSession.appNames]);
    const channel = channelOf(newSession);
    const opened = channel === null ? null : openedChannel(channel);
    return access.write((state, now) => {
      const { sessions } = state;
      const live = [...sessions.entries()].filter(([, record]) => isLive(record, now));
      const others = live.filter(([, record]) => !sharesDevice(session, record.session));
      const ofUser = others.filter(([, record]) => record.session.userId === session.userId);
      const remaining = Math.min(
        policy.perDevice,
        sessionsToEnd(others.length, policy.limit),
        sessionsToEnd(ofUser.length, policy.perUserLimit),
      );
      if (remaining < 1) throw new ServiceError(315);
      if (sessions.has(digest)) throw new ServiceError(799, { detail: "The digest of a new session is in use." });
      // Entries are ordered by age, and the sort is stable.
      const ofDevice = live
        .filter(([, record]) => sharesDevice(session, record.session))
        .toSorted(([, one], [, other]) => one.expiresAt - other.expiresAt);
      for (const [old] of ofDevice.slice(0, Math.max(0, ofDevice.length - (remaining - 1)))) forget(state, old);
      const endsAt = now + policy.absoluteLifetime;
      const expiresAt = Math.min(now + policy.idleTimeout, endsAt);
      sessions.set(digest, { session: Object.freeze(session), secretVersion, touchedAt: now, expiresAt, endsAt });
      if (opened !== null) state.channels.set(digest, opened);
    });
  },

  end: (selector) =>
    access.write((state, now) => {
      const ended = [...selected(state, selector)].filter(([, record]) => isLive(record, now));
      for (const [digest] of ended) forget(state, digest);
      return ended.length;
    }),

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

  count: () =>
    access.read(({ sessions }, now) => [...sessions.values()].filter((record) => isLive(record, now)).length),

  sweep: (limit) =>
    access.write((state, now) => {
      const over = [...state.sessions.entries()].filter(([, record]) => !isLive(record, now)).slice(0, limit);
      for (const [digest] of over) forget(state, digest);
      return over.length;
    }),
});

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

function isOf(
  { userId, authenticationMethod }: Session,
  selector: Exclude<SessionSelector, { readonly digest: Digest }>,
): boolean {
  if ("userId" in selector) return userId === selector.userId;
  if ("linkId" in selector)
    return authenticationMethod.kind === "provider" && authenticationMethod.link.id === selector.linkId;
  return authenticationMethod.kind === "custom" && authenticationMethod.accountId === selector.customAccountId;
}
