import {
  acceptStorable,
  isStorableText,
  type PutOutcome,
  type PutWithinOutcome,
  type RecordKind,
  type RecordQuota,
  type RecordRepository,
  type StoredRecord,
} from "@sallyport/storage";
import type { SqlRunner, Statement } from "./sql-runner.ts";

/**
 * Look-ups of more ids are planned each time. A plan from when the table was tiny reads all of it for each id, until the
 * database analyzes the table.
 */
const maxUnplanned = 10;

export function sqlRecordRepository(
  sql: SqlRunner,
  statements: RecordStatements,
  offset: () => number,
): RecordRepository {
  return {
    async get<Value>(kind: RecordKind<Value>, ids: readonly string[]) {
      const names = requested(ids);
      if (names.length === 0) return [];
      const values = [kind, names, offset()];
      const { rows } =
        names.length > maxUnplanned
          ? await sql.runOnce<RecordRow<Value>>(statements.get.text, values)
          : await sql.run<RecordRow<Value>>(statements.get, values);
      return rows.map(recordOf);
    },

    async put(kind, id, value, { owner = null, lifetime = null, ifVersion = "any" } = {}) {
      const version = ifVersion === "any" ? null : ifVersion === "none" ? 0 : ifVersion;
      return write<PutOutcome>(kind, { id, owner, value }, lifetime, version, overQuota);
    },

    async putWithin(kind, id, value, { owner, lifetime = null, quota }) {
      return write<PutWithinOutcome>(kind, { id, owner, value }, lifetime, 0, quota);
    },

    async take<Value>(kind: RecordKind<Value>, id: string) {
      if (!isStorableText(id)) return null;
      const { rows } = await sql.run<{ readonly value: Value }>(statements.take, [kind, id, offset()]);
      return rows[0]?.value ?? null;
    },

    async remove(kind, selector) {
      if ("owner" in selector) {
        if (!isStorableText(selector.owner)) return [];
        return removed(sql.run(statements.removeOfOwner, [kind, selector.owner, offset()]));
      }
      const names = requested(selector.ids);
      if (names.length === 0) return [];
      return removed(sql.runOnce(statements.removeIds(names.length), [kind, offset(), ...names]));
    },

    async list<Value>(
      kind: RecordKind<Value>,
      { owner, after, limit }: { readonly owner?: string; readonly after: string | null; readonly limit: number },
    ) {
      if (owner !== undefined && !isStorableText(owner)) return [];
      const values = [kind, placeOf(after), limit, offset()];
      const { rows } =
        owner === undefined
          ? await sql.run<RecordRow<Value>>(statements.list, values)
          : await sql.run<RecordRow<Value>>(statements.listOfOwner, [...values, owner]);
      return rows.map(recordOf);
    },

    async count(kind) {
      const { rows } = await sql.run<CountRow>(statements.count, [kind, offset()]);
      const { count, oldest } = rows[0] as CountRow;
      return { count: Number(count), oldest: Number(oldest) };
    },

    async claim<Value>(kind: RecordKind<Value>, limit: number, lease: number) {
      const rows = await statements.claim<Value>(sql, { kind, limit, lease, offset: offset() });
      return rows.map((row) => ({ ...recordOf(row), claims: Number(row.claims) }));
    },

    async settle(kind, { id, version }, settlement) {
      const named = [kind, id, version, offset()];
      if (settlement === "done") {
        if (!isStorableText(id)) return false;
        return (await sql.run(statements.removeVersion, named)).rowCount === 1;
      }
      const { dueIn = null, value } = settlement;
      acceptStorable(value);
      if (!isStorableText(id)) return false;
      const changed = [dueIn, value === undefined ? null : JSON.stringify(value)];
      return (await sql.run(statements.settle, [...named, ...changed])).rowCount === 1;
    },

    async sweep(limit) {
      const { rows } = await sql.run<{ readonly kind: string }>(statements.sweep, [limit, offset()]);
      const swept = new Map<string, number>();
      for (const { kind } of rows) swept.set(kind, (swept.get(kind) ?? 0) + 1);
      return swept;
    },
  };

  async function write<Outcome>(
    kind: string,
    { id, owner, value }: { readonly id: string; readonly owner: string | null; readonly value: unknown },
    lifetime: number | null,
    version: number | null,
    { perOwner, total }: RecordQuota,
  ): Promise<Outcome> {
    acceptStorable([id, owner, value]);
    const values = [kind, id, owner, JSON.stringify(value), lifetime, offset(), version, perOwner, total];
    const { rows } = await sql.run<{ readonly outcome: Outcome }>(statements.put, values);
    return (rows[0] as { readonly outcome: Outcome }).outcome;
  }

  async function removed(removing: ReturnType<typeof sql.run<{ readonly id: string }>>): Promise<string[]> {
    return (await removing).rows.map(({ id }) => id);
  }
}

const overQuota: RecordQuota = { perOwner: 0, total: 0 };

/** The storable ids, without duplicates. */
function requested(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter(isStorableText);
}

/** The sort position of an id, even of one that cannot be stored. */
function placeOf(after: string | null): string {
  return Buffer.from(after?.split("\0", 1)[0] ?? "").toString();
}

function recordOf<Value>({ created_at, age, ...row }: RecordRow<Value>): StoredRecord<Value> {
  const { id, owner, value, version, born } = row;
  const createdAt = Number(created_at);
  return { id, owner, value, version: Number(version), createdVersion: Number(born), createdAt, age: Number(age) };
}

/** Statements that return records return `RecordRow`s. */
export interface RecordStatements {
  /** 1 kind, 2 array of ids without duplicates, 3 clock offset. */
  readonly get: Statement;
  /**
   * 1 kind, 2 id, 3 owner or null, 4 value, 5 lifetime or null, 6 clock offset, 7 required version (0: none, null:
   * any), 8 owner limit, 9 total limit (0: unlimited). Answers the outcome.
   */
  readonly put: Statement;
  /** 1 kind, 2 id, 3 clock offset. Returns the value. */
  readonly take: Statement;
  /** A text for this many ids: 1 kind, 2 clock offset, then the ids. Returns the removed ones. */
  readonly removeIds: (count: number) => string;
  /** 1 kind, 2 owner, 3 clock offset. Returns the ids. */
  readonly removeOfOwner: Statement;
  /** 1 kind, 2 id to start after, 3 limit, 4 clock offset. By id. */
  readonly list: Statement;
  /** The parameters of `list`, and 5 owner. */
  readonly listOfOwner: Statement;
  /** 1 kind, 2 clock offset. Returns `count`, and `oldest` in milliseconds. */
  readonly count: Statement;
  readonly claim: <Value>(sql: SqlRunner, request: ClaimRequest) => Promise<ClaimedRow<Value>[]>;
  /** 1 kind, 2 id, 3 version, 4 clock offset. */
  readonly removeVersion: Statement;
  /** 1 kind, 2 id, 3 version, 4 clock offset, 5 milliseconds until it is due or null, 6 value or null. */
  readonly settle: Statement;
  /** 1 limit, 2 clock offset. Returns the kind of each removed record. */
  readonly sweep: Statement;
}

export interface ClaimRequest {
  readonly kind: string;
  readonly limit: number;
  /** Milliseconds. */
  readonly lease: number;
  /** Clock offset in milliseconds. */
  readonly offset: number;
}

interface RecordRow<Value> {
  readonly id: string;
  readonly owner: string | null;
  readonly value: Value;
  readonly version: string | number;
  readonly born: string | number;
  /** Milliseconds since 1970. */
  readonly created_at: string | number;
  /** Milliseconds. */
  readonly age: string | number;
}

export interface ClaimedRow<Value> extends RecordRow<Value> {
  readonly claims: number;
}

interface CountRow {
  readonly count: string | number;
  readonly oldest: string | number;
}
