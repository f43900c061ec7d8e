export {
  type AuditEvent,
  type AuditEventType,
  type AuditRepository,
  type RecordedAuditEvent,
  tallyTime,
} from "./audit-repository.ts";
export { entryEvent, operatorEvent, sessionEvent } from "./audit-events.ts";
