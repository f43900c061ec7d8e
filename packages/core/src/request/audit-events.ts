import type { AuditEvent, ObjectId } from "../storage/index.ts";
import type { AppKeyContext, SessionContext } from "./request-context.ts";

/** Defaults of an event: a success outside any request. */
export const blankEvent = {
  requestId: "",
  outcome: 0,
  appKeyId: "",
  actorId: null,
  subjectId: null,
  address: "",
  appNames: [],
  className: null,
  macroName: null,
  providerName: null,
} as const satisfies Omit<AuditEvent, "type">;

function requestEvent({ requestId, appKey, origin }: AppKeyContext) {
  return { ...blankEvent, requestId, appKeyId: appKey.id, address: origin.address };
}

type OutcomeFields<Outcome> = Pick<AuditEvent, "type"> & { readonly outcome: Outcome } & Partial<
    Pick<AuditEvent, "appNames" | "providerName"> & { readonly userId: ObjectId | null }
  >;

/** Creates the event of a request with an app key. `userId` is the authenticated user, as actor and subject. */
export function logInEvent<Outcome extends AuditEvent["outcome"]>(
  context: AppKeyContext,
  { type, outcome, userId = null, appNames = [], providerName = null }: OutcomeFields<Outcome>,
): AuditEvent & { readonly outcome: Outcome } {
  return { ...requestEvent(context), type, outcome, actorId: userId, subjectId: userId, appNames, providerName };
}

/** A change by an administrator. `subjectId` is the changed user. */
export type ChangeToAudit = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "appKeyId" | "subjectId" | "appNames" | "className" | "macroName" | "providerName">>;

/** Creates the event of a CLI command, which has no request and no actor. */
export function operatorEvent(change: ChangeToAudit): AuditEvent {
  return { ...blankEvent, ...change };
}

/** Creates the event of a change by an administrator in a session. */
export function administratorEvent(context: SessionContext, change: ChangeToAudit): AuditEvent {
  return { ...requestEvent(context), actorId: context.principal.userId, ...change };
}

type Given = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "outcome" | "appNames" | "className" | "macroName" | "providerName">>;

/** Creates the event of a request with a session. The user is also the subject, unless it concerns a class or a macro. */
export function sessionEvent(context: SessionContext, given: Given): AuditEvent {
  const { userId } = context.principal;
  const isAboutUser = given.className === undefined && given.macroName === undefined;
  const subjectId = isAboutUser ? userId : null;
  return { ...requestEvent(context), actorId: userId, subjectId, appNames: context.session.appNames, ...given };
}
