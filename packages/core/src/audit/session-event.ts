import type { SessionContext } from "../request/request-context.ts";
import type { AuditEvent } from "./audit-event.ts";

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
