import type { auditOperations, liveSessionOperations } from "@sallyport/contract";
import type { AuditEventType, RecordedAuditEvent } from "@sallyport/storage";
import { type AdministeredSession, endSession, endSessionsOfUser, listSessions, readAudit } from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, timeText } from "./answers.ts";

/** Live sessions. */
export const liveSessionHandlers: Handlers<typeof liveSessionOperations> = {
  listSessions: async (context, { query: { user: userId = null, ...query } }) => ({
    data: await pageData(query, (page) => listSessions(context, { userId, page }), {
      keyOf: ({ id }) => id,
      show: shownSession,
    }),
  }),
  endSession: (context, { parameter }) => endSession(context, parameter("id")),
  endSessions: async (context, { query: { user } }) => ({ data: { ended: await endSessionsOfUser(context, user) } }),
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

function shownSession({
  appKeyId: _id,
  openedAt,
  expiresAt,
  endsAt,
  customAccountId: _custom,
  ...session
}: AdministeredSession) {
  const times = { since: timeText(openedAt), expiresAt: timeText(expiresAt), endsAt: timeText(endsAt) };
  return { ...session, ...times };
}

function shownEvent({ at, since, ...event }: RecordedAuditEvent) {
  return { ...event, at: timeText(at), since: timeText(since) };
}
