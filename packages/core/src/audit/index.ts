export type { AuditEvent, AuditEventType, RecordedAuditEvent } from "./audit-event.ts";
export type { AuditRepository } from "./audit-repository.ts";
