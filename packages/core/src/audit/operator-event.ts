import type { AuditEvent } from "./audit-event.ts";

/** What somebody has done with a command of the server, which has neither request nor app key; `userId` is whom it was done to. */
export function operatorEvent({
  type,
  userId = null,
  macroName = null,
  providerName = null,
}: Pick<AuditEvent, "type"> & Partial<Pick<AuditEvent, "userId" | "macroName" | "providerName">>): AuditEvent {
  return { type, requestId: "", outcome: 0, appKeyId: "", userId, address: "", appNames: [], className: null, macroName, providerName };
}
