import type { auditOperations, liveSessionOperations } from "@sallyport/contract";
import type { AuditEventType, RecordedAuditEvent, SessionMatch } from "@sallyport/storage";
import {
  type AdministeredSession,
  endSession,
  endSessions,
  listSessions,
  readAudit,
  type SessionsToEnd,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, timeText } from "./answers.ts";

/** Live sessions. */
export const liveSessionHandlers: Handlers<typeof liveSessionOperations> = {
  listSessions: async (context, { query }) => ({
    data: await pageData(query, (page) => listSessions(context, { matching: matchOf(query), page }), {
      keyOf: ({ id }) => id,
      show: shownSession,
    }),
  }),
  endSession: (context, { parameter }) => endSession(context, parameter("id")),
  endSessions: async (context, { query }) => ({
    data: { ended: await endSessions(context, matchOf(query) as SessionsToEnd) },
  }),
};

/** The audit, read-only. */
export const auditHandlers: Handlers<typeof auditOperations> = {
  readAudit: async (context, { query: { after = "0", limit = 100, type, actor, subject, since, until } }) => {
    const { events, next } = await readAudit(context, {
      after: Number(after),
      limit,
      // An unknown type matches no event.
      type: type as AuditEventType | undefined,
      actorId: actor,
      subjectId: subject,
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
    });
    return { data: { items: events.map(shownEvent), next: next === null ? null : String(next) } };
  },
};

interface SessionConditions {
  readonly user?: string | undefined;
  readonly device?: string | undefined;
  readonly app?: string | undefined;
}

function matchOf({ user, device, app }: SessionConditions): SessionMatch {
  return {
    ...(user === undefined ? {} : { userId: user }),
    ...(device === undefined ? {} : { deviceId: device }),
    ...(app === undefined ? {} : { appName: app }),
  };
}

function shownSession({
  appKeyId: _id,
  openedAt,
  lastSeenAt,
  expiresAt,
  endsAt,
  customAccountId: _custom,
  ...session
}: AdministeredSession) {
  const times = {
    since: timeText(openedAt),
    lastSeen: timeText(lastSeenAt),
    expiresAt: timeText(expiresAt),
    endsAt: timeText(endsAt),
  };
  return { ...session, ...times };
}

function shownEvent({ at, since, ...event }: RecordedAuditEvent) {
  return { ...event, at: timeText(at), since: timeText(since) };
}
