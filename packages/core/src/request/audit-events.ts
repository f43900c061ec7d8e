import type { AuditEvent, ObjectId } from "../storage/index.ts";
import type { AppKeyContext, SessionContext } from "./request-context.ts";

type OutcomeFields<Outcome> = Pick<AuditEvent, "type"> & { readonly outcome: Outcome } & Partial<
    Pick<AuditEvent, "appNames" | "providerName"> & { readonly userId: ObjectId | null }
  >;

/** The event of a request with an app key. `userId` is the user, if one was proven: actor and subject. */
export function entryEvent<Outcome extends AuditEvent["outcome"]>(
  { requestId, appKey, origin }: AppKeyContext,
  { type, outcome, userId = null, appNames = [], providerName = null }: OutcomeFields<Outcome>,
): AuditEvent & { readonly outcome: Outcome } {
  return {
    type,
    requestId,
    outcome,
    appKeyId: appKey.id,
    actorId: userId,
    subjectId: userId,
    address: origin.address,
    appNames,
    className: null,
    macroName: null,
    providerName,
  };
}

/** A change by an administrator, and what it was about; `subjectId` is the user who was changed. */
export type ChangeToAudit = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "appKeyId" | "subjectId" | "appNames" | "macroName" | "providerName">>;

/** The event of a command of the server, which has no request and no actor. */
export function operatorEvent({
  type,
  appKeyId = "",
  subjectId = null,
  appNames = [],
  macroName = null,
  providerName = null,
}: ChangeToAudit): AuditEvent {
  return {
    type,
    requestId: "",
    outcome: 0,
    appKeyId,
    actorId: null,
    subjectId,
    address: "",
    appNames,
    className: null,
    macroName,
    providerName,
  };
}

type Given = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "outcome" | "className" | "macroName" | "providerName">>;

/** The event of a request with a session. Its user is also the subject, unless it was about a class or a macro. */
export function sessionEvent(
  { requestId, appKey, principal, origin, session }: SessionContext,
  { type, outcome = 0, className = null, macroName = null, providerName = null }: Given,
): AuditEvent {
  return {
    type,
    requestId,
    outcome,
    appKeyId: appKey.id,
    actorId: principal.userId,
    subjectId: className === null && macroName === null ? principal.userId : null,
    address: origin.address,
    appNames: session.appNames,
    className,
    macroName,
    providerName,
  };
}
