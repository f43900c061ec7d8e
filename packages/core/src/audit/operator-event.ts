import type { AuditEvent } from "./audit-event.ts";

/** What somebody has done with a command of the server, which has no request; `userId` is whom it was done to. */
export function operatorEvent({
  type,
  appKeyId = "",
  userId = null,
  appNames = [],
  macroName = null,
  providerName = null,
}: Pick<AuditEvent, "type"> &
  Partial<Pick<AuditEvent, "appKeyId" | "userId" | "appNames" | "macroName" | "providerName">>): AuditEvent {
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
