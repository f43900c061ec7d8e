import type { AuditEvent, RecordedAuditEvent } from "./audit-event.ts";

/** Port: the append-only record of who came in, who was refused and who left. */
export interface AuditRepository {
  append(event: AuditEvent): Promise<void>;

  /** Events with a higher sequence than `after`, ascending, at most `limit`. */
  read(after: number, limit: number): Promise<RecordedAuditEvent[]>;
}
