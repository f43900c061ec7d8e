import {
  auditParameters,
  auditResponse,
  emptyResponse,
  endedResponse,
  endSessionsParameters,
  ofUserParameters,
  sessionsResponse,
} from "@sallyport/contract";
import type { AuditEventType, RecordedAuditEvent } from "@sallyport/storage";
import { type AdministeredSession, endSession, endSessionsOfUser, listSessions, readAudit } from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import { administrationRoute, pageData, timeText } from "./administration-route.ts";

/** Routes of live sessions. */
export function liveSessionRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/sessions",
      operation: "listSessions",
      summary: "List the live sessions",
      query: ofUserParameters,
      data: sessionsResponse,
      errors: [],
      handle: async (context, { query: { user: userId = null, ...query } }) => ({
        data: await pageData(query, (page) => listSessions(context, { userId, page }), {
          keyOf: ({ id }) => id,
          show: shownSession,
        }),
      }),
    }),
    administrationRoute({
      method: "DELETE",
      path: "/sessions/{id}",
      operation: "endSession",
      summary: "End a session",
      data: emptyResponse,
      errors: [],
      handle: async (context, { parameter }) => {
        await endSession(context, parameter("id"));
        return { data: {} };
      },
    }),
    administrationRoute({
      method: "DELETE",
      path: "/sessions",
      operation: "endSessions",
      summary: "End all sessions of a user",
      query: endSessionsParameters,
      data: endedResponse,
      errors: [],
      handle: async (context, { query: { user } }) => ({ data: { ended: await endSessionsOfUser(context, user) } }),
    }),
  ];
}

/** The audit, read-only. */
export function auditRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/audit",
      operation: "readAudit",
      summary: "Read the audit",
      description:
        "Returns events in the order of their sequence. With conditions, a page can have fewer events than `limit`, or none, before the end: continue until `next` is `null`.",
      query: auditParameters,
      data: auditResponse,
      errors: [],
      handle: async (context, { query: { after = "0", limit = 100, type, actor, subject, since, until } }) => {
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
    }),
  ];
}

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
