import {
  acceptStorable,
  type MailHindrance,
  type OutboxEntry,
  type OutboxRepository,
  ServiceError,
  type WaitingMail,
} from "@sallyport/core";
import type { Access } from "./access.ts";
import type { OutboxRecord } from "./records.ts";
import { nextNumber, type State } from "./state.ts";

export class MemoryOutboxRepository implements OutboxRepository {
  constructor(private readonly access: Access) {}

  async put(
    sealedOrder: string,
    { lifetime, limit }: { readonly lifetime: number; readonly limit: number },
  ): Promise<void> {
    acceptStorable(sealedOrder);
    return this.access.write((state, now) => {
      if (live(state, now).length >= limit) throw new ServiceError(706, { detail: "Too much mail waits." });
      keep(state, nextNumber(state, "outbox"), {
        sealedOrder,
        attempts: 0,
        putAt: now,
        dueAt: now,
        expiresAt: now + lifetime,
        stuckSince: null,
      });
    });
  }

  claim(limit: number, lease: number): Promise<OutboxEntry[]> {
    return this.access.write((state, now) => {
      const due = live(state, now).filter(([, { dueAt }]) => dueAt <= now);
      return due.slice(0, limit).map(([id, record]) => {
        const attempts = record.attempts + 1;
        keep(state, id, { ...record, attempts, dueAt: now + lease });
        return { id, sealedOrder: record.sealedOrder, attempts, age: now - record.putAt };
      });
    });
  }

  async replace(id: number, attempts: number, sealedOrder: string): Promise<boolean> {
    acceptStorable(sealedOrder);
    return this.change(id, attempts, (record) => ({ ...record, sealedOrder }));
  }

  done(id: number, attempts: number): Promise<boolean> {
    return this.change(id, attempts, () => null);
  }

  postpone(id: number, attempts: number, delay: number, blame: MailHindrance): Promise<boolean> {
    return this.change(id, attempts, (record, now) => {
      const stuckSince = blame === "transport" ? (record.stuckSince ?? now) : null;
      return { ...record, dueAt: now + delay, stuckSince };
    });
  }

  waiting(): Promise<WaitingMail> {
    return this.access.read((state, now) => {
      const records = live(state, now).map(([, record]) => record);
      const longestSince = (times: readonly (number | null)[]) =>
        Math.max(0, ...times.map((time) => now - (time ?? now)));
      return {
        count: records.length,
        oldest: longestSince(records.map(({ putAt }) => putAt)),
        stuck: longestSince(records.map(({ stuckSince }) => stuckSince)),
      };
    });
  }

  sweep(limit: number): Promise<number> {
    return this.access.write(({ outbox }, now) => {
      const over = [...outbox.entries()].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit);
      for (const [id] of over) outbox.delete(id);
      return over.length;
    });
  }

  /** Changes an order, or forgets it, if this is its latest claim. */
  private change(
    id: number,
    attempts: number,
    work: (record: OutboxRecord, now: number) => OutboxRecord | null,
  ): Promise<boolean> {
    return this.access.write((state, now) => {
      const record = state.outbox.get(id);
      if (record?.attempts !== attempts) return false;
      const changed = work(record, now);
      if (changed === null) state.outbox.delete(id);
      else keep(state, id, changed);
      return true;
    });
  }
}

function live({ outbox }: State, now: number): [number, OutboxRecord][] {
  return [...outbox.entries()].filter(([, { expiresAt }]) => expiresAt > now);
}

function keep({ outbox }: State, id: number, record: OutboxRecord): void {
  outbox.set(id, Object.freeze(record));
}
