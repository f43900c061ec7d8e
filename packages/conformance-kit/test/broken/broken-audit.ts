import type { AuditEvent, RecordedAuditEvent } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** Changes the events that are read from the audit. */
function readingWith(change: (event: RecordedAuditEvent) => RecordedAuditEvent) {
  return (fault: string, caughtBy: string | readonly string[]) =>
    broken(fault, caughtBy, () => (r) => ({
      audit: { read: async (after, limit) => (await r.audit.read(after, limit)).map(change) },
    }));
}

const tallied = "combines the tallied attempts of one key into one event";

/** Faults in tallies, retention and order of the audit. */
export const brokenAudit: readonly BrokenAdapter[] = [
  readingWith((event) => ({ ...event, className: null }))(
    "drops the class of an event",
    "stores events unchanged and in order",
  ),
  readingWith((event) => ({ ...event, actorId: event.subjectId, subjectId: event.actorId }))(
    "swaps the actor and the subject of an event",
    ["stores events unchanged and in order", tallied],
  ),
  readingWith((event) => ({ ...event, macroName: null }))(
    "drops the macro of an event",
    "stores events unchanged and in order",
  ),
  readingWith((event) => ({ ...event, providerName: null }))("drops the provider of an event", [
    "stores events unchanged and in order",
    tallied,
  ]),
  readingWith((event) => ({ ...event, changes: [] }))(
    "drops the changes of an event",
    "stores events unchanged and in order",
  ),
  readingWith((event) => ({ ...event, attempts: 0 }))(
    "counts no attempts for an event",
    "counts an event as one attempt",
  ),
  readingWith((event) => ({ ...event, since: event.at }))("drops the time of the first attempt", tallied),
  readingWith((event) => ({ ...event, at: event.since }))("drops the time of the last attempt", tallied),

  broken(
    "writes every tallied attempt as an event",
    [tallied, "settles old tallies, the oldest first, up to the limit"],
    () => (r) => ({
      audit: { tally: (_key, event) => r.audit.append(event) },
    }),
  ),

  broken("counts all tally keys together", "keeps the tallies of different keys separate", () => (r) => ({
    audit: { tally: (_key, event) => r.audit.tally("all", event) },
  })),

  broken("trims tally keys", "keeps the tallies of different keys separate", () => (r) => ({
    audit: { tally: (key, event) => r.audit.tally(key.trim().toLowerCase(), event) },
  })),

  broken("settles tallies of any age", "settles old tallies, the oldest first, up to the limit", () => (r) => ({
    audit: { settle: (_age, limit) => r.audit.settle(0, limit) },
  })),

  broken(
    "settles more tallies than the limit",
    "settles old tallies, the oldest first, up to the limit",
    () => (r) => ({
      audit: { settle: (age) => r.audit.settle(age, 1_000) },
    }),
  ),

  broken(
    "loses attempts that arrive while it settles tallies",
    "counts every concurrent attempt while tallies are settled",
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

  broken("shows events in commit order", "shows events in sequence order regardless of commit order", () => {
    const shown: number[] = [];
    return (r) => ({
      audit: {
        // Moves unseen events to the end regardless of their sequence.
        read: async (after, limit) => {
          const read = await r.audit.read(0, 1_000);
          for (const { sequence } of read.toReversed()) if (!shown.includes(sequence)) shown.push(sequence);
          const kept = read.toSorted((one, other) => shown.indexOf(one.sequence) - shown.indexOf(other.sequence));
          return kept.filter(({ sequence }) => sequence > after).slice(0, limit);
        },
      },
    });
  }),

  broken("sweeps events of any age", "deletes old events, the oldest first, up to the limit", () => (r) => ({
    audit: { sweep: (_age, limit) => r.audit.sweep(0, limit) },
  })),

  broken("sweeps more events than the limit", "deletes old events, the oldest first, up to the limit", () => (r) => ({
    audit: { sweep: (age) => r.audit.sweep(age, 1_000) },
  })),

  broken("numbers events by their count", "never reuses a sequence after all events are deleted", () => {
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

  broken("sweeps no throttle keys", "sweeps forgotten failures up to the limit, and nothing else", () => (r) => ({
    throttle: { sweep: () => r.throttle.sweep(0) },
  })),

  broken(
    "sweeps more throttle keys than the limit",
    "sweeps forgotten failures up to the limit, and nothing else",
    () => (r) => ({
      throttle: { sweep: () => r.throttle.sweep(1_000) },
    }),
  ),

  broken("sweeps remembered throttle keys", "sweeps forgotten failures up to the limit, and nothing else", () => {
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
  }),
];
