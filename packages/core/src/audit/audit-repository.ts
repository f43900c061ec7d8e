import type { AuditEvent, RecordedAuditEvent } from "./audit-event.ts";

/** Milliseconds in which attempts that are alike are counted together before they become one event. */
export const tallyTime = 300_000;

/** Port: the append-only record of who came in, who was refused and who left, and who changed the model, a macro or the readers of an object. */
export interface AuditRepository {
  append(event: AuditEvent): Promise<void>;

  /**
   * Counts an attempt that is one of many, instead of keeping an event of its own: those of one key (at most 200
   * characters) become one event when they are settled. None is lost, however many come at once.
   */
  tally(key: string, event: AuditEvent): Promise<void>;

  /** Makes an event of each tally begun at least `age` milliseconds ago, of `limit` at most; how many it were. */
  settle(age: number, limit: number): Promise<number>;

  /**
   * Events with a higher sequence than `after`, ascending, at most `limit`. The sequence is that of the writing, not of
   * the keeping: an event whose transaction takes its time turns up late, between events that could be read before.
   * Who must miss nothing reads again what is younger than a transaction can get.
   */
  read(after: number, limit: number): Promise<RecordedAuditEvent[]>;

  /** Of the `limit` events with the lowest sequence, forgets those that happened at least `age` milliseconds ago; how many it were. */
  sweep(age: number, limit: number): Promise<number>;
}
