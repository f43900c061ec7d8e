import type { JsonValue } from "../entities/stored-object.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows } from "../kernel/rows.ts";
import type { RecordRepository, RecordValue, StoredRecord } from "../ports/record-repository.ts";
import { acceptStorable } from "../entities/storable-text.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { newNumbers } from "./numbers.ts";
import { type RecordRow, recordTable } from "./tables.ts";

export const recordRepository = (access: Access): RecordRepository => ({
  get: (kind, ids) =>
    access.read(async (rows) => {
      const now = await rows.now();
      const keys = [...new Set(ids)].map((id) => [kind, id]);
      return (await rows.getAll(recordTable, keys))
        .filter((row) => isLiving(row, now))
        .map((row) => storedRecord(row, now)) as never;
    }),

  async put(kind, id, value, options = {}) {
    const { owner = null, lifetime = null, ifVersion = "any" } = options;
    const content = contentOf(id, owner, value);
    return access.write(async (rows) => {
      const now = await rows.now();
      const present = await livingRecord(rows, kind, id, now);
      if (ifVersion === "none" && present !== undefined) return "exists";
      if (typeof ifVersion === "number" && present?.version !== ifVersion) return "stale";
      await write(rows, now, { kind, ...content, lifetime }, present);
      return "stored";
    });
  },

  async putWithin(kind, id, value, { owner, lifetime = null, quota }) {
    const content = contentOf(id, owner, value);
    return access.write(async (rows) => {
      const now = await rows.now();
      if ((await livingRecord(rows, kind, id, now)) !== undefined) return "exists";
      if (quota.perOwner > 0 && (await countOwned(rows, kind, owner, now, quota.perOwner)) >= quota.perOwner)
        return "ownerFull";
      if (quota.total > 0 && (await countLiving(rows, kind, now, quota.total)) >= quota.total) return "full";
      await write(rows, now, { kind, ...content, lifetime });
      return "stored";
    });
  },

  take: (kind, id) => access.write(async (rows) => takeRecord(rows, kind, id, await rows.now())),

  remove: (kind, selector) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const candidates =
        "owner" in selector
          ? await rows.list(recordTable, { index: "byOwner", of: [selector.owner, kind] }, Infinity)
          : await rows.getAll(
              recordTable,
              selector.ids.map((id) => [kind, id]),
            );
      const removed = candidates.filter((row) => isLiving(row, now)).map(({ id }) => id);
      await rows.delete(recordTable, ...removed.map((id) => [kind, id]));
      return removed;
    }),

  list: (kind, { owner, after, limit }) =>
    access.read(async (rows) => {
      const now = await rows.now();
      const page = after === null ? {} : { after: [after] };
      const span =
        owner === undefined
          ? { of: [kind], ...page }
          : // The key follows the owner and the kind in the index: the kind again, and the id.
            { index: "byOwner" as const, of: [owner, kind, kind], ...page };
      const records: StoredRecord[] = [];
      if (limit > 0)
        for await (const row of rows.each(recordTable, span))
          if (isLiving(row, now) && records.push(storedRecord(row, now)) >= limit) break;
      return records as never;
    }),

  count: (kind) =>
    access.read(async (rows) => {
      const now = await rows.now();
      let oldest = now;
      for await (const row of rows.each(recordTable, { index: "byAge", of: [kind] }))
        if (isLiving(row, now)) {
          oldest = row.createdAt;
          break;
        }
      return { count: await countLiving(rows, kind, now), oldest: now - oldest };
    }),

  claim: (kind, limit, lease) =>
    access.write(async (rows) => {
      const now = await rows.now();
      const due: RecordRow[] = [];
      if (limit > 0)
        for await (const row of rows.each(recordTable, { index: "byAge", of: [kind] }))
          if (isLiving(row, now) && (row.dueAt === null || row.dueAt <= now) && due.push(row) >= limit) break;
      const first = await newNumbers(rows, "record", due.length);
      const claimed = due.map((row, index) => ({
        ...row,
        version: first + index,
        claims: row.claims + 1,
        dueAt: now + lease,
      }));
      await rows.put(recordTable, ...claimed);
      return claimed.map((row) => ({ ...storedRecord(row, now), claims: row.claims })) as never;
    }),

  async settle(kind, { id, version }, settlement) {
    const newValue = settlement === "done" ? undefined : (settlement.value as RecordValue | undefined);
    if (newValue !== undefined) acceptStorable(newValue);
    return access.write(async (rows) => {
      const now = await rows.now();
      const row = await livingRecord(rows, kind, id, now);
      if (row?.version !== version) return false;
      if (settlement === "done") await rows.delete(recordTable, [kind, id]);
      else {
        const { dueIn } = settlement;
        const value = newValue === undefined ? row.value : frozenCopy(newValue);
        await rows.put(recordTable, { ...row, value, dueAt: dueIn === undefined ? row.dueAt : now + dueIn });
      }
      return true;
    });
  },

  sweep: (limit) =>
    access.write(async (rows) => {
      const through = [await rows.now()];
      const over = await rows.list(recordTable, { index: "byExpiry", through }, limit);
      await rows.delete(recordTable, ...over.map(({ kind, id }) => [kind, id]));
      const swept = new Map<string, number>();
      for (const { kind } of over) swept.set(kind, (swept.get(kind) ?? 0) + 1);
      return swept;
    }),
});

/** Removes a record and returns its value; `null` if there is none. */
export async function takeRecord<Value = RecordValue>(
  rows: Rows,
  kind: string,
  id: string,
  now: number,
): Promise<Value | null> {
  const row = await livingRecord(rows, kind, id, now);
  if (row === undefined) return null;
  await rows.delete(recordTable, [kind, id]);
  return row.value as Value;
}

/** The record of an id; `undefined` if it is missing or expired. */
export async function livingRecord(
  rows: RowReader,
  kind: string,
  id: string,
  now: number,
): Promise<RecordRow | undefined> {
  const row = await rows.get(recordTable, kind, id);
  return row !== undefined && isLiving(row, now) ? row : undefined;
}

export function isLiving({ expiresAt }: Pick<RecordRow, "expiresAt">, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

/** The living records of a kind. */
function countLiving(rows: RowReader, kind: string, now: number, atMost?: number): Promise<number> {
  return rows.count(recordTable, { index: "byKind", of: [kind], after: [now] }, atMost);
}

/** The living records of an owner; counting stops at `atMost`. */
async function countOwned(rows: RowReader, kind: string, owner: string, now: number, atMost: number): Promise<number> {
  let count = 0;
  for await (const row of rows.each(recordTable, { index: "byOwner", of: [owner, kind] }))
    if (isLiving(row, now) && ++count >= atMost) break;
  return count;
}

type Content = Pick<RecordRow, "id" | "owner" | "value">;

function contentOf(id: string, owner: string | null, value: unknown): Content {
  acceptStorable([id, owner, value]);
  return frozenCopy({ id, owner, value: value as RecordValue & JsonValue });
}

/** Writes a record and replaces the present one. */
async function write(
  rows: Rows,
  now: number,
  { lifetime, ...content }: Content & Pick<RecordRow, "kind"> & { readonly lifetime: number | null },
  present?: RecordRow,
): Promise<void> {
  const version = await newNumbers(rows, "record");
  await rows.put(recordTable, {
    ...content,
    version,
    createdVersion: present?.createdVersion ?? version,
    createdAt: present?.createdAt ?? now,
    expiresAt: lifetime === null ? null : now + lifetime,
    dueAt: null,
    claims: 0,
  });
}

function storedRecord(row: RecordRow, now: number): StoredRecord {
  const { id, owner, value, version, createdVersion, createdAt } = row;
  return Object.freeze({ id, owner, value, version, createdVersion, createdAt, age: now - createdAt });
}
