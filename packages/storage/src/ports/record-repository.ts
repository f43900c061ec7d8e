import type { JsonValue } from "../entities/stored-object.ts";

/** The content of a record: any JSON except `null`, which means no record. */
export type RecordValue = Exclude<JsonValue, null>;

declare const ofKind: unique symbol;

/**
 * Name of a record kind, at most 32 ASCII letters. The type parameter describes the values. Storage neither knows nor
 * checks it, so a new kind needs no change of an adapter.
 */
export type RecordKind<Value = RecordValue> = string & { readonly [ofKind]?: Value };

export interface StoredRecord<Value = RecordValue> {
  /** Unique within the kind. 1 to 512 characters. */
  readonly id: string;
  /** Owner key, used to remove all records of one owner; `null` for none. At most 200 characters. */
  readonly owner: string | null;
  readonly value: Value;
  /** Changes with each put and each claim, but not with `settle`. Never reused in a database, even after a removal. */
  readonly version: number;
  /** The version at creation. Writes keep it. A record created again after its end has another one. */
  readonly createdVersion: number;
  /** Creation time, milliseconds since 1970 by the storage's clock. */
  readonly createdAt: number;
  /** Milliseconds between creation and this read. */
  readonly age: number;
}

/** A record leased to one worker. */
export interface ClaimedRecord<Value = RecordValue> extends StoredRecord<Value> {
  /** Number of claims so far, including this one. */
  readonly claims: number;
}

export interface PutOptions {
  /** Default `null`: none. */
  readonly owner?: string | null;
  /** Milliseconds until the record expires. Default `null`: never. */
  readonly lifetime?: number | null;
  /** Required current state: `"none"` (no record), a version, or `"any"` (default; with or without a record). */
  readonly ifVersion?: "none" | "any" | number;
}

/** Maximum number of records of a kind; 0: unlimited. */
export interface RecordQuota {
  readonly perOwner: number;
  /** Of all owners together. */
  readonly total: number;
}

/** See `PutOptions`. The id must be unused. */
export interface PutWithinOptions extends Pick<PutOptions, "lifetime"> {
  readonly owner: string;
  readonly quota: RecordQuota;
}

/** `exists`: the record exists but must not. `stale`: the record has another version, or is gone. */
export type PutOutcome = "stored" | "exists" | "stale";

/** `ownerFull` takes precedence over `full`. */
export type PutWithinOutcome = "stored" | "exists" | "ownerFull" | "full";

/** Result of a claim: remove the record (`done`), or store a new value, delay the next claim by `dueIn` milliseconds, or both. */
export type Settlement<Value = RecordValue> = "done" | { readonly dueIn?: number; readonly value?: Value };

/** Number of records, and age of the oldest in milliseconds; 0 if there are none. */
export interface RecordCount {
  readonly count: number;
  readonly oldest: number;
}

/**
 * Port: records of any kind, each a JSON value under an id. Every call ignores expired records. Times are by the
 * storage's clock. An id, owner or value that is not storable: 307 on a write, no match elsewhere.
 */
export interface RecordRepository {
  /** The existing records among these ids, each once, in any order. */
  get<Value = RecordValue>(kind: RecordKind<Value>, ids: readonly string[]): Promise<StoredRecord<Value>[]>;

  /** Writes a record. Of concurrent calls with `"none"` or the same version, exactly one gets `stored`. */
  put<Value = RecordValue>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    options?: PutOptions,
  ): Promise<PutOutcome>;

  /**
   * Adds a record within `quota` (`exists` if the id is used). The quota is exact across concurrent calls in all
   * processes. Records written by `put` count, but are not limited.
   */
  putWithin<Value = RecordValue>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    options: PutWithinOptions,
  ): Promise<PutWithinOutcome>;

  /** Removes a record and returns its value. Of concurrent calls, one gets the value, the others get `null`. */
  take<Value = RecordValue>(kind: RecordKind<Value>, id: string): Promise<Value | null>;

  /** Removes records. Returns the ids of the removed ones. */
  remove(
    kind: RecordKind<unknown>,
    selector: { readonly ids: readonly string[] } | { readonly owner: string },
  ): Promise<string[]>;

  /** At most `limit` records after an id, or from the first (`null`), by the code points of the id; of one owner if given. */
  list<Value = RecordValue>(
    kind: RecordKind<Value>,
    selection: { readonly owner?: string; readonly after: string | null; readonly limit: number },
  ): Promise<StoredRecord<Value>[]>;

  count(kind: RecordKind<unknown>): Promise<RecordCount>;

  /**
   * Leases at most `limit` due records for `lease` milliseconds, oldest creation first. Other calls do not get them
   * during the lease. A record is due as soon as it is put. Concurrent claims do not wait for each other.
   */
  claim<Value = RecordValue>(kind: RecordKind<Value>, limit: number, lease: number): Promise<ClaimedRecord<Value>[]>;

  /** Settles a claimed record. `false`, without any change, if the record has another version or is gone. */
  settle<Value = RecordValue>(
    kind: RecordKind<Value>,
    { id, version }: Pick<StoredRecord, "id" | "version">,
    settlement: Settlement<Value>,
  ): Promise<boolean>;

  /** Deletes at most `limit` expired records of any kind. Returns the number per kind; kinds without any are absent. */
  sweep(limit: number): Promise<ReadonlyMap<string, number>>;
}
