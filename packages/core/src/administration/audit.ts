import type { AdministrationContext } from "../request/index.ts";
import type { AuditEventType, ObjectId, RecordedAuditEvent } from "@sallyport/storage";

/** Absent conditions match all events. */
export interface AuditFilter {
  readonly type?: AuditEventType | undefined;
  /** Id of the acting user. */
  readonly actorId?: ObjectId | undefined;
  /** Id of the affected user. */
  readonly subjectId?: ObjectId | undefined;
  /** Milliseconds since 1970. Includes events at this time. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970. Excludes events at this time. */
  readonly until?: number | undefined;
}

export interface ReadAuditInput extends AuditFilter {
  /** Sequence of the last event read; 0 for all. */
  readonly after: number;
  readonly limit: number;
}

export interface AuditPage {
  readonly events: readonly RecordedAuditEvent[];
  /** The sequence to continue after; `null` at the end. */
  readonly next: number | null;
}

const pageSize = 500;

/** Maximum number of events that one call reads. A filter without a match ends there, with a place to continue. */
const maxRead = 10_000;

/** Reads events in the order of their sequence. A page can have fewer events than `limit`, or none, before the end. */
export async function readAudit(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit, ...filter }: ReadAuditInput,
): Promise<AuditPage> {
  const events: RecordedAuditEvent[] = [];
  let place = after;
  for (let read = 0; read < maxRead; read += pageSize) {
    const page = await r.audit.read(place, pageSize);
    for (const event of page) {
      place = event.sequence;
      if (matches(event, filter)) events.push(event);
      if (events.length === limit) return { events, next: place };
    }
    if (page.length < pageSize) return { events, next: null };
  }
  return { events, next: place };
}

function matches(event: RecordedAuditEvent, { type, actorId, subjectId, since, until }: AuditFilter): boolean {
  return (
    (type === undefined || event.type === type) &&
    (actorId === undefined || event.actorId === actorId) &&
    (subjectId === undefined || event.subjectId === subjectId) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  );
}
