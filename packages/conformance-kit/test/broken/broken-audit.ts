import type { AuditEvent, RecordedAuditEvent } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** Changes what is read of the audit. */
function readingWith(change: (event: RecordedAuditEvent) => RecordedAuditEvent) {
  return (fault: string, caughtBy: string | readonly string[]) =>
    broken(fault, caughtBy, () => (r) => ({
      audit: { read: async (after, limit) => (await r.audit.read(after, limit)).map(change) },
    }));
}

const tallied = "makes one event of the attempts that were counted under one key";

/** Faults in tallies, retention and order of the audit. */
export const brokenAudit: readonly BrokenAdapter[] = [
  readingWith((event) => ({ ...event, className: null }))(
    "forgets which class an event is about",
    "keeps events as they were appended, in order",
  ),
  readingWith((event) => ({ ...event, actorId: event.subjectId, subjectId: event.actorId }))(
    "swaps actor and subject of an event",
    ["keeps events as they were appended, in order", tallied],
  ),
  readingWith((event) => ({ ...event, macroName: null }))(
    "forgets which macro an event is about",
    "keeps events as they were appended, in order",
  ),
  readingWith((event) => ({ ...event, providerName: null }))("forgets which provider an event is about", [
    "keeps events as they were appended, in order",
    tallied,
  ]),
  readingWith((event) => ({ ...event, attempts: 0 }))(
    "counts no attempt for an event",
    "takes an event for one attempt",
  ),
  readingWith((event) => ({ ...event, since: event.at }))("forgets when the first attempt was", tallied),
  readingWith((event) => ({ ...event, at: event.since }))("forgets when the last attempt was", tallied),

  broken(
    "writes every attempt down at once",
    [tallied, "settles tallies that were begun long enough ago, the oldest first, no more than asked for"],
    () => (r) => ({
      audit: { tally: (_key, event) => r.audit.append(event) },
    }),
  ),

  broken("counts all keys together", "keeps tallies of different keys apart", () => (r) => ({
    audit: { tally: (_key, event) => r.audit.tally("all", event) },
  })),

  broken("trims the keys of tallies", "keeps tallies of different keys apart", () => (r) => ({
    audit: { tally: (key, event) => r.audit.tally(key.trim().toLowerCase(), event) },
  })),

  broken(
    "settles tallies of any age",
    "settles tallies that were begun long enough ago, the oldest first, no more than asked for",
    () => (r) => ({
      audit: { settle: (_age, limit) => r.audit.settle(0, limit) },
    }),
  ),

  broken(
    "settles more tallies than asked for",
    "settles tallies that were begun long enough ago, the oldest first, no more than asked for",
    () => (r) => ({
      audit: { settle: (age) => r.audit.settle(age, 1_000) },
    }),
  ),

  broken(
    "loses attempts that come while it counts",
    "loses no attempt of those that come at once while tallies are settled",
    () => {
      let busy = false;
      return (r) => ({
        audit: {
          tally: async (key, event) => {
            if (busy) return;
            busy = true;
            await pause();
            await r.audit.tally(key, event);
            busy = false;
          },
        },
      });
    },
  ),

  broken(
    "shows events in the order in which they were kept",
    "shows events in the order of their sequence, however late their transactions end",
    () => {
      const shown: number[] = [];
      return (r) => ({
        audit: {
          // What was not seen before goes to the end, whatever its sequence.
          read: async (after, limit) => {
            const read = await r.audit.read(0, 1_000);
            for (const { sequence } of read.toReversed()) if (!shown.includes(sequence)) shown.push(sequence);
            const kept = read.toSorted((one, other) => shown.indexOf(one.sequence) - shown.indexOf(other.sequence));
            return kept.filter(({ sequence }) => sequence > after).slice(0, limit);
          },
        },
      });
    },
  ),

  broken(
    "sweeps events of any age",
    "forgets what is older than asked for, the oldest first, no more than asked for",
    () => (r) => ({
      audit: { sweep: (_age, limit) => r.audit.sweep(0, limit) },
    }),
  ),

  broken(
    "sweeps more events than asked for",
    "forgets what is older than asked for, the oldest first, no more than asked for",
    () => (r) => ({
      audit: { sweep: (age) => r.audit.sweep(age, 1_000) },
    }),
  ),

  broken("numbers events by how many there are", "gives no sequence again when all is forgotten", () => {
    let events: RecordedAuditEvent[] = [];
    return () => ({
      audit: {
        append: async (event: AuditEvent) => {
          events.push({ ...event, sequence: events.length + 1, at: 0, since: 0, attempts: 1 });
        },
        read: async (after, limit) => events.filter(({ sequence }) => sequence > after).slice(0, limit),
        sweep: async () => {
          const { length } = events;
          events = [];
          return length;
        },
      },
    });
  }),

  broken("sweeps no throttle key", "loses what is forgotten, no more than asked for, and nothing else", () => (r) => ({
    throttle: { sweep: () => r.throttle.sweep(0) },
  })),

  broken(
    "sweeps more throttle keys than asked for",
    "loses what is forgotten, no more than asked for, and nothing else",
    () => (r) => ({
      throttle: { sweep: () => r.throttle.sweep(1_000) },
    }),
  ),

  broken(
    "sweeps throttle keys that are remembered",
    "loses what is forgotten, no more than asked for, and nothing else",
    () => {
      const keys = new Set<string>();
      return (r) => ({
        throttle: {
          fail: (failing) => {
            for (const { key } of failing) keys.add(key);
            return r.throttle.fail(failing);
          },
          sweep: async (limit) => {
            const swept = await r.throttle.sweep(limit);
            if (swept > 0) await r.throttle.pass([], [...keys]);
            return swept;
          },
        },
      });
    },
  ),
];
