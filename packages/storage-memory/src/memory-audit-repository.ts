import type { AuditEvent, AuditRepository, RecordedAuditEvent } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { nextNumber } from "./state.ts";

export class MemoryAuditRepository implements AuditRepository {
  constructor(private readonly access: Access) {}

  append(event: AuditEvent): Promise<void> {
    const kept = frozenCopy(event);
    return this.access.write((state, at) => {
      const sequence = nextNumber(state, "audit");
      state.audit.set(sequence, Object.freeze({ ...kept, sequence, at }));
    });
  }

  read(after: number, limit: number): Promise<RecordedAuditEvent[]> {
    return this.access.read(({ audit }) => [...audit.values()].filter(({ sequence }) => sequence > after).slice(0, limit));
  }
}
