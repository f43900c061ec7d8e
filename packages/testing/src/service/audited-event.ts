import type { RecordedAuditEvent } from "@sallyport/server/testing";

/** An event of the audit. Times are milliseconds since 1970 by the clock of the service. */
export interface AuditedEvent extends Omit<RecordedAuditEvent, "actorId" | "subjectId"> {
  /** The acting user: a name of the content, else an id; `null` without a user. */
  readonly actor: string | null;
  /** The affected user, likewise. */
  readonly subject: string | null;
}
