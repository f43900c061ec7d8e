import type { AuditRepository } from "@sallyport/storage";
import type { Access } from "./access.ts";
import type { AuditTally } from "./records.ts";
import { frozenCopy } from "./table.ts";
import { nextNumber, type State } from "./state.ts";

export const memoryAuditRepository = (access: Access): AuditRepository => ({
  append(event) {
    const kept = frozenCopy(event);
    return access.write((state, now) => record(state, { ...kept, at: now, since: now, attempts: 1 }));
  },

  tally(key, event) {
    const kept = frozenCopy(event);
    return access.write(({ auditTallies }, now) => {
      const before = auditTallies.get(key) ?? { ...kept, since: now, attempts: 0 };
      auditTallies.set(key, { ...before, at: now, attempts: before.attempts + 1 });
    });
  },

  settle: (age, limit) =>
    access.write((state, now) => {
      const over = [...state.auditTallies.entries()]
        .filter(([, { since }]) => now - since >= age)
        .toSorted(([, one], [, other]) => one.since - other.since)
        .slice(0, limit);
      for (const [key, tally] of over) {
        state.auditTallies.delete(key);
        record(state, tally);
      }
      return over.length;
    }),

  read: (after, limit) =>
    access.read(({ audit }) => [...audit.values()].filter(({ sequence }) => sequence > after).slice(0, limit)),

  sweep: (age, limit) =>
    access.write(({ audit }, now) => {
      const over = [...audit.values()].slice(0, limit).filter(({ at }) => now - at >= age);
      for (const { sequence } of over) audit.delete(sequence);
      return over.length;
    }),
});

function record(state: State, event: AuditTally): void {
  const sequence = nextNumber(state, "audit");
  state.audit.set(sequence, Object.freeze({ ...event, sequence }));
}
