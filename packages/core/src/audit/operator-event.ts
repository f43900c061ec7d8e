import type { AuditEvent } from "./audit-event.ts";

/** What somebody has done with a command of the server, which has neither request nor app key nor user. */
export function operatorEvent({ type, macroName = null }: Pick<AuditEvent, "type"> & Partial<Pick<AuditEvent, "macroName">>): AuditEvent {
  return { type, requestId: "", outcome: 0, appKeyId: "", userId: null, address: "", appNames: [], className: null, macroName };
}
