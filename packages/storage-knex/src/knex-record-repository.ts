import {
  acceptStorable,
  type ClaimedRecord,
  isStorableText,
  type PutOptions,
  type RecordCount,
  type RecordKind,
  type PutOutcome,
  type PutWithinOptions,
  type PutWithinOutcome,
  type RecordRepository,
  type RecordRoom,
  type Settlement,
  type StoredRecord,
} from "@sallyport/core";
import type { SqlRunner } from "./sql-runner.ts";
import type { Statement } from "./statement.ts";

export class KnexRecordRepository implements RecordRepository {
  constructor(
    private readonly sql: SqlRunner,
    private readonly statements: RecordStatements,
    private readonly offset: () => number,
  ) {}

  async get<Value>(kind: RecordKind<Value>, ids: readonly string[]): Promise<StoredRecord<Value>[]> {
    const asked = askedFor(ids);
    if (asked.length === 0) return [];
    const { rows } = await this.sql.run<RecordRow<Value>>(this.statements.get, [kind, asked, this.offset()]);
    return rows.map(recordOf);
  }

  async put<Value>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    { owner = null, lifetime = null, ifVersion = "any" }: PutOptions = {},
  ): Promise<PutOutcome> {
    const version = ifVersion === "any" ? null : ifVersion === "none" ? 0 : ifVersion;
    return this.write<PutOutcome>(kind, { id, owner, value }, lifetime, version, noRoom);
  }

  async putWithin<Value>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    { owner, lifetime = null, room }: PutWithinOptions,
  ): Promise<PutWithinOutcome> {
    return this.write<PutWithinOutcome>(kind, { id, owner, value }, lifetime, 0, room);
  }

  async take<Value>(kind: RecordKind<Value>, id: string): Promise<Value | null> {
    if (!isStorableText(id)) return null;
    const { rows } = await this.sql.run<{ readonly value: Value }>(this.statements.take, [kind, id, this.offset()]);
    return rows[0]?.value ?? null;
  }

  async remove(
    kind: RecordKind<unknown>,
    selector: { readonly ids: readonly string[] } | { readonly owner: string },
  ): Promise<string[]> {
    if ("owner" in selector) {
      if (!isStorableText(selector.owner)) return [];
      return this.removed(this.sql.run(this.statements.removeOfOwner, [kind, selector.owner, this.offset()]));
    }
    const asked = askedFor(selector.ids);
    if (asked.length === 0) return [];
    return this.removed(this.sql.runOnce(this.statements.removeIds(asked.length), [kind, this.offset(), ...asked]));
  }

  async list<Value>(
    kind: RecordKind<Value>,
    { owner, after, limit }: { readonly owner?: string; readonly after: string | null; readonly limit: number },
  ): Promise<StoredRecord<Value>[]> {
    if (owner !== undefined && !isStorableText(owner)) return [];
    const values = [kind, placeOf(after), limit, this.offset()];
    const { rows } =
      owner === undefined
        ? await this.sql.run<RecordRow<Value>>(this.statements.list, values)
        : await this.sql.run<RecordRow<Value>>(this.statements.listOfOwner, [...values, owner]);
    return rows.map(recordOf);
  }

  async count(kind: RecordKind<unknown>): Promise<RecordCount> {
    const { rows } = await this.sql.run<CountRow>(this.statements.count, [kind, this.offset()]);
    const { count, oldest } = rows[0] as CountRow;
    return { count: Number(count), oldest: Number(oldest) };
  }

  async claim<Value>(kind: RecordKind<Value>, limit: number, lease: number): Promise<ClaimedRecord<Value>[]> {
    const rows = await this.statements.claim<Value>(this.sql, { kind, limit, lease, offset: this.offset() });
    return rows.map((row) => ({ ...recordOf(row), claims: Number(row.claims) }));
  }

  async settle<Value>(
    kind: RecordKind<Value>,
    { id, version }: Pick<StoredRecord, "id" | "version">,
    settlement: Settlement<Value>,
  ): Promise<boolean> {
    const named = [kind, id, version, this.offset()];
    if (settlement === "done") {
      if (!isStorableText(id)) return false;
      return (await this.sql.run(this.statements.removeVersion, named)).rowCount === 1;
    }
    const { dueIn = null, value } = settlement;
    acceptStorable(value);
    if (!isStorableText(id)) return false;
    const changed = [dueIn, value === undefined ? null : JSON.stringify(value)];
    return (await this.sql.run(this.statements.settle, [...named, ...changed])).rowCount === 1;
  }

  async sweep(limit: number): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.sql.run<{ readonly kind: string }>(this.statements.sweep, [limit, this.offset()]);
    const swept = new Map<string, number>();
    for (const { kind } of rows) swept.set(kind, (swept.get(kind) ?? 0) + 1);
    return swept;
  }

  private async write<Outcome>(
    kind: string,
    { id, owner, value }: { readonly id: string; readonly owner: string | null; readonly value: unknown },
    lifetime: number | null,
    version: number | null,
    { ofOwner, inAll }: RecordRoom,
  ): Promise<Outcome> {
    acceptStorable([id, owner, value]);
    const values = [kind, id, owner, JSON.stringify(value), lifetime, this.offset(), version, ofOwner, inAll];
    const { rows } = await this.sql.run<{ readonly outcome: Outcome }>(this.statements.put, values);
    return (rows[0] as { readonly outcome: Outcome }).outcome;
  }

  private async removed(removing: ReturnType<typeof this.sql.run<{ readonly id: string }>>): Promise<string[]> {
    return (await removing).rows.map(({ id }) => id);
  }
}

const noRoom: RecordRoom = { ofOwner: 0, inAll: 0 };

/** Each once, those that nothing can be stored under left out. */
function askedFor(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter(isStorableText);
}

/** The place of an id among those that are stored, of one that cannot be, too. */
function placeOf(after: string | null): string {
  return Buffer.from(after?.split("\0", 1)[0] ?? "").toString();
}

function recordOf<Value>({ created_at, age, ...row }: RecordRow<Value>): StoredRecord<Value> {
  const { id, owner, value, version, born } = row;
  const createdAt = Number(created_at);
  return { id, owner, value, version: Number(version), born: Number(born), createdAt, age: Number(age) };
}

/** The statements that give records give `RecordRow`s. */
export interface RecordStatements {
  /** 1 kind, 2 array of ids, each once, 3 offset of the clock. */
  readonly get: Statement;
  /**
   * 1 kind, 2 id, 3 owner or null, 4 value, 5 lifetime or null, 6 offset of the clock, 7 version that is to be there, 0 being none and null any,
   * 8 room of the owner, 9 room in all, 0 being none that is limited. Answers the outcome.
   */
  readonly put: Statement;
  /** 1 kind, 2 id, 3 offset. Gives the value. */
  readonly take: Statement;
  /** For so many ids, as a text: 1 kind, 2 offset, 3 and so on the ids. Gives those that were there. */
  readonly removeIds: (count: number) => string;
  /** 1 kind, 2 owner, 3 offset. Gives the ids. */
  readonly removeOfOwner: Statement;
  /** 1 kind, 2 id to begin after, 3 limit, 4 offset. By id. */
  readonly list: Statement;
  /** The same, with 5 owner. */
  readonly listOfOwner: Statement;
  /** 1 kind, 2 offset. Gives `count`, and `oldest` in milliseconds. */
  readonly count: Statement;
  readonly claim: <Value>(sql: SqlRunner, request: ClaimRequest) => Promise<ClaimedRow<Value>[]>;
  /** 1 kind, 2 id, 3 version, 4 offset. */
  readonly removeVersion: Statement;
  /** 1 kind, 2 id, 3 version, 4 offset, 5 milliseconds until it is due or null, 6 value or null. */
  readonly settle: Statement;
  /** 1 limit, 2 offset. Gives the kind of each. */
  readonly sweep: Statement;
}

export interface ClaimRequest {
  readonly kind: string;
  readonly limit: number;
  /** Milliseconds. */
  readonly lease: number;
  /** Of the clock. */
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
