export type { AuditEvent, AuditEventType, RecordedAuditEvent } from "./audit-event.ts";
export { type AuditRepository, tallyTime } from "./audit-repository.ts";
export { entryEvent } from "./entry-event.ts";
export { operatorEvent } from "./operator-event.ts";
export { sessionEvent } from "./session-event.ts";
