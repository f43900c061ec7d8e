import { acceptStorable, type RecordRepository, type RecordValue, type StoredRecord } from "@sallyport/storage";
import type { Access } from "./access.ts";
import type { KeptRecord } from "./records.ts";
import { reserveNumber, type State } from "./state.ts";
import { frozenCopy, pageByName } from "./table.ts";

export const memoryRecordRepository = (access: Access): RecordRepository => ({
  get: (kind, ids) =>
    access.read((state, now) =>
      [...new Set(ids)]
        .map((id) => livingRecord(state, kind, id, now))
        .filter((record) => record !== undefined)
        .map((record) => storedRecord(record, now)),
    ),

  async put(kind, id, value, options = {}) {
    const { owner = null, lifetime = null, ifVersion = "any" } = options;
    const content = contentOf(id, owner, value);
    return access.write((state, now) => {
      const present = livingRecord(state, kind, id, now);
      if (ifVersion === "none" && present !== undefined) return "exists";
      if (typeof ifVersion === "number" && present?.version !== ifVersion) return "stale";
      write(state, now, { kind, ...content, lifetime }, present);
      return "stored";
    });
  },

  async putWithin(kind, id, value, { owner, lifetime = null, quota }) {
    const content = contentOf(id, owner, value);
    return access.write((state, now) => {
      if (livingRecord(state, kind, id, now) !== undefined) return "exists";
      const all = livingRecords(state, kind, now);
      if (quota.perOwner > 0 && all.filter((record) => record.owner === owner).length >= quota.perOwner)
        return "ownerFull";
      if (quota.total > 0 && all.length >= quota.total) return "full";
      write(state, now, { kind, ...content, lifetime });
      return "stored";
    });
  },

  take: (kind, id) => access.write((state, now) => takeRecord(state, kind, id, now)),

  remove: (kind, selector) =>
    access.write((state, now) => {
      const isMeant =
        "owner" in selector
          ? ({ owner }: KeptRecord) => owner === selector.owner
          : ({ id }: KeptRecord) => selector.ids.includes(id);
      const removed = livingRecords(state, kind, now).filter(isMeant);
      for (const { id } of removed) state.records.delete(keyOf(kind, id));
      return removed.map(({ id }) => id);
    }),

  list: (kind, { owner, after, limit }) =>
    access.read((state, now) => {
      const all = livingRecords(state, kind, now).filter((record) => owner === undefined || record.owner === owner);
      return pageByName(all, ({ id }) => id, after, limit).map((record) => storedRecord(record, now));
    }),

  count: (kind) =>
    access.read((state, now) => {
      const all = livingRecords(state, kind, now);
      return { count: all.length, oldest: Math.max(0, ...all.map(({ createdAt }) => now - createdAt)) };
    }),

  claim: (kind, limit, lease) =>
    access.write((state, now) => {
      const due = livingRecords(state, kind, now).filter(({ dueAt }) => dueAt === null || dueAt <= now);
      return due
        .toSorted((a, b) => a.createdVersion - b.createdVersion)
        .slice(0, limit)
        .map((record) => {
          const claimed = {
            ...record,
            version: reserveNumber(state, "record"),
            claims: record.claims + 1,
            dueAt: now + lease,
          };
          state.records.set(keyOf(kind, record.id), Object.freeze(claimed));
          return { ...storedRecord(claimed, now), claims: claimed.claims };
        });
    }),

  async settle(kind, { id, version }, settlement) {
    if (settlement !== "done" && settlement.value !== undefined) acceptStorable(settlement.value as RecordValue);
    return access.write((state, now) => {
      const record = livingRecord(state, kind, id, now);
      if (record?.version !== version) return false;
      if (settlement === "done") state.records.delete(keyOf(kind, id));
      else {
        const value = settlement.value === undefined ? record.value : frozenCopy(settlement.value as RecordValue);
        state.records.set(
          keyOf(kind, id),
          Object.freeze({
            ...record,
            value,
            dueAt: settlement.dueIn === undefined ? record.dueAt : now + settlement.dueIn,
          }),
        );
      }
      return true;
    });
  },

  sweep: (limit) =>
    access.write(({ records }, now) => {
      const over = [...records.entries()].filter(([, record]) => !isLiving(record, now)).slice(0, limit);
      const swept = new Map<string, number>();
      for (const [key, { kind }] of over) {
        records.delete(key);
        swept.set(kind, (swept.get(kind) ?? 0) + 1);
      }
      return swept;
    }),
});

/** Removes a record and returns its value; `null` if there is none. */
export function takeRecord<Value = RecordValue>(state: State, kind: string, id: string, now: number): Value | null {
  const record = livingRecord(state, kind, id, now);
  if (record === undefined) return null;
  state.records.delete(keyOf(kind, id));
  return record.value as Value;
}

type Content = Pick<KeptRecord, "id" | "owner" | "value">;

function contentOf(id: string, owner: string | null, value: unknown): Content {
  acceptStorable([id, owner, value as RecordValue]);
  return frozenCopy({ id, owner, value: value as RecordValue });
}

/** Writes a record and replaces the present one. */
function write(
  state: State,
  now: number,
  { lifetime, ...content }: Content & Pick<KeptRecord, "kind"> & { readonly lifetime: number | null },
  present?: KeptRecord,
): void {
  const version = reserveNumber(state, "record");
  const record = {
    ...content,
    version,
    createdVersion: present?.createdVersion ?? version,
    createdAt: present?.createdAt ?? now,
    expiresAt: lifetime === null ? null : now + lifetime,
    dueAt: null,
    claims: 0,
  };
  state.records.set(keyOf(content.kind, content.id), Object.freeze(record));
}

/** The key of a record in its table. */
export function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

function isLiving({ expiresAt }: KeptRecord, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

/** The record of an id; `undefined` if it is missing or expired. */
export function livingRecord({ records }: State, kind: string, id: string, now: number): KeptRecord | undefined {
  const record = records.get(keyOf(kind, id));
  return record !== undefined && isLiving(record, now) ? record : undefined;
}

function livingRecords({ records }: State, kind: string, now: number): KeptRecord[] {
  return [...records.values()].filter((record) => record.kind === kind && isLiving(record, now));
}

function storedRecord<Value>(
  { id, owner, value, version, createdVersion, createdAt }: KeptRecord,
  now: number,
): StoredRecord<Value> {
  return Object.freeze({
    id,
    owner,
    value: value as Value,
    version,
    createdVersion,
    createdAt,
    age: now - createdAt,
  });
}
