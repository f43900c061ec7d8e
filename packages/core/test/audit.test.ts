import type { RecordedAuditEvent } from "@sallyport/storage";
import { type ReadAuditInput, readAudit } from "../src/administration/audit.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

/** An audit with an event for each sequence up to `last`, except every seventh, and the number of its reads. */
function auditOf(last: number, eventAt: (sequence: number) => Pick<RecordedAuditEvent, "at" | "outcome">) {
  const audit = {
    reads: 0,
    async read(after: number, limit: number): Promise<RecordedAuditEvent[]> {
      audit.reads += 1;
      const events: RecordedAuditEvent[] = [];
      for (let sequence = after + 1; sequence <= last && events.length < limit; sequence += 1)
        if (sequence % 7 !== 0) events.push({ sequence, ...eventAt(sequence) } as RecordedAuditEvent);
      return events;
    },
  };
  return audit;
}

/** The sequences of all pages. */
async function sequencesOf(audit: ReturnType<typeof auditOf>, filter: Partial<ReadAuditInput>): Promise<number[]> {
  const sequences: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await readAudit({ r: { audit } as never }, { limit: 100, after, ...filter });
    sequences.push(...page.events.map(({ sequence }) => sequence));
    after = page.next;
  }
  return sequences;
}

/** An event every minute. */
const steady = (sequence: number) => ({ at: start + sequence * 60_000, outcome: 0 as const });

/** Tallies of refusals from the first hour, which became events between the others. */
const withLateTallies = (from: number, to: number) => (sequence: number) =>
  sequence >= from && sequence < to ? { at: start + sequence, outcome: 302 as const } : steady(sequence);

/** A clock that was set back by half an hour. */
const withCorrection = (at: number) => (sequence: number) =>
  sequence < at ? steady(sequence) : { ...steady(sequence), at: steady(sequence).at - hour / 2 };

test.each([
  ["in order", steady],
  ["with some late tallies", withLateTallies(4_000, 4_020)],
  ["with many late tallies", withLateTallies(3_000, 5_000)],
  ["with late tallies at the end", withLateTallies(7_000, 9_000)],
  ["with a corrected clock", withCorrection(4_321)],
])("an audit %s is found by time as a whole", async (_title, eventAt) => {
  const audit = auditOf(8_000, eventAt);
  for (const minute of [-100, 0, 1, 60, 2_999, 3_500, 4_010, 4_321, 5_000, 7_990, 9_000]) {
    const [since, until] = [start + minute * 60_000, start + (minute + 700) * 60_000];
    const expected = Array.from({ length: 8_000 }, (_, index) => index + 1).filter((sequence) => {
      const { at } = eventAt(sequence);
      return sequence % 7 !== 0 && at >= since && at < until;
    });
    expect(await sequencesOf(audit, { since, until })).toEqual(expected);
  }
});

test.each([0.1, 0.5, 0.999])("the place of a time among ten million events takes few reads: %f", async (share) => {
  const audit = auditOf(10_000_000, steady);
  const since = start + share * 10_000_000 * 60_000;
  const { events } = await readAudit({ r: { audit } as never }, { after: 0, limit: 1, since });
  expect(events[0]?.at).toBeGreaterThanOrEqual(since);
  expect(events[0]?.at).toBeLessThan(since + 120_000);
  expect(audit.reads).toBeLessThan(50);
});
