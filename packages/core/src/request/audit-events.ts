import type { AuditEvent } from "../storage/index.ts";
import type { AppKeyContext, SessionContext } from "./request-context.ts";

type OutcomeFields<Outcome> = Pick<AuditEvent, "type"> & { readonly outcome: Outcome } & Partial<
    Pick<AuditEvent, "userId" | "appNames" | "providerName">
  >;

/** What somebody with an app key has done with this request; `userId` only if it was proven who it is. */
export function entryEvent<Outcome extends AuditEvent["outcome"]>(
  { requestId, appKey, origin }: AppKeyContext,
  { type, outcome, userId = null, appNames = [], providerName = null }: OutcomeFields<Outcome>,
): AuditEvent & { readonly outcome: Outcome } {
  return {
    type,
    requestId,
    outcome,
    appKeyId: appKey.id,
    userId,
    address: origin.address,
    appNames,
    className: null,
    macroName: null,
    providerName,
  };
}

/** A change to keep, and whom or what it was about; `userId` is whom it was done to. */
export type ChangeToAudit = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "appKeyId" | "userId" | "appNames" | "macroName" | "providerName">>;

/** What a command of the server has done. It has no request. */
export function operatorEvent({
  type,
  appKeyId = "",
  userId = null,
  appNames = [],
  macroName = null,
  providerName = null,
}: ChangeToAudit): AuditEvent {
  return {
    type,
    requestId: "",
    outcome: 0,
    appKeyId,
    userId,
    address: "",
    appNames,
    className: null,
    macroName,
    providerName,
  };
}

type Given = Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "outcome" | "className" | "macroName" | "providerName">>;

/** What somebody who is logged in has done with this request. */
export function sessionEvent(
  { requestId, appKey, principal, origin, session }: SessionContext,
  { type, outcome = 0, className = null, macroName = null, providerName = null }: Given,
): AuditEvent {
  return {
    type,
    requestId,
    outcome,
    appKeyId: appKey.id,
    userId: principal.userId,
    address: origin.address,
    appNames: session.appNames,
    className,
    macroName,
    providerName,
  };
}
