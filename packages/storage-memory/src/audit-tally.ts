import type { RecordedAuditEvent } from "@sallyport/core";

/** Attempts that are alike, counted until they become an event. */
export type AuditTally = Omit<RecordedAuditEvent, "sequence">;
