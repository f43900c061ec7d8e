import type { AdministrationContext } from "../request/index.ts";
import type { AuditEventType, AuditRepository, ObjectId, RecordedAuditEvent } from "@sallyport/storage";

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

/** Events that tell the time at a sequence. */
const probeSize = 50;

/** Milliseconds by which times can contradict the sequence: transactions last, and clocks are corrected. */
const maxDisorder = 3_600_000;

/** Reads events in the order of their sequence. A page can have fewer events than `limit`, or none, before the end. */
export async function readAudit(
  { r }: Pick<AdministrationContext, "r">,
  { after, limit, ...filter }: ReadAuditInput,
): Promise<AuditPage> {
  const { since } = filter;
  const events: RecordedAuditEvent[] = [];
  let place = since === undefined ? after : await placeBefore(r.audit, after, since - maxDisorder);
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

/** A sequence from `after` on, such that each success up to it is earlier than the time. */
async function placeBefore(audit: Pick<AuditRepository, "read">, after: number, time: number): Promise<number> {
  let [low, high] = [after, Infinity];
  for (let step = pageSize; high - low > pageSize; step *= 2) {
    const middle = high === Infinity ? low + step : Math.floor((low + high) / 2);
    const page = await audit.read(middle, probeSize);
    const earlier = page.findLast((event) => isTimely(event) && event.at < time);
    if (earlier === undefined) high = middle;
    else low = earlier.sequence;
  }
  return low;
}

/** Whether the event was recorded when it happened. Tallies of refusals become events later, even after a restart. */
function isTimely({ outcome }: RecordedAuditEvent): boolean {
  return outcome === 0;
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
