import type { Access } from "../kernel/access.ts";
import type { Rows } from "../kernel/rows.ts";
import type { AuditRepository, RecordedAuditEvent } from "../ports/audit-repository.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { nextNumbers } from "./numbers.ts";
import { auditTable, tallyTable } from "./tables.ts";

export const auditRepository = (access: Access): AuditRepository => ({
  append(event, key) {
    const copy = frozenCopy(event);
    return access.write(async (rows) => {
      const now = await rows.now();
      if (key === undefined) return record(rows, [{ ...copy, at: now, since: now, attempts: 1 }]);
      const before = (await rows.get(tallyTable, key)) ?? { ...copy, key, since: now, attempts: 0 };
      await rows.put(tallyTable, { ...before, at: now, attempts: before.attempts + 1 });
    });
  },

  settle: (age, limit) =>
    access.write(async (rows) => {
      const through = [(await rows.now()) - age];
      const over = await rows.list(tallyTable, { index: "bySince", through }, limit);
      await rows.delete(tallyTable, ...over.map(({ key }) => [key]));
      await record(
        rows,
        over.map(({ key: _key, ...event }) => event),
      );
      return over.length;
    }),

  read: (after, limit) => access.read((rows) => rows.list(auditTable, { after: [after] }, limit)),

  sweep: (age, limit) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const over = (await rows.list(auditTable, {}, limit)).filter(({ at }) => now - at >= age);
      await rows.delete(auditTable, ...over.map(({ sequence }) => [sequence]));
      return over.length;
    }),
});

async function record(rows: Rows, events: readonly Omit<RecordedAuditEvent, "sequence">[]): Promise<void> {
  const first = await nextNumbers(rows, "audit", events.length);
  await rows.put(auditTable, ...events.map((event, index) => Object.freeze({ ...event, sequence: first + index })));
}
