export type { AuditEvent, AuditEventType, RecordedAuditEvent } from "./audit-event.ts";
export { type AuditRepository, tallyTime } from "./audit-repository.ts";
