import type { JsonValue } from "./entities/stored-object.ts";

/** What a record holds: any JSON but `null`, which stands for no record. */
export type RecordValue = Exclude<JsonValue, null>;

declare const ofKind: unique symbol;

/**
 * The name of a kind of records, at most 32 ASCII letters. Its type says what the values of the kind are; storage neither knows nor
 * checks that, so a new kind needs nothing of an adapter.
 */
export type RecordKind<Value = RecordValue> = string & { readonly [ofKind]?: Value };

export interface StoredRecord<Value = RecordValue> {
  /** Unique within the kind. 1 to 512 characters. */
  readonly id: string;
  /** What it belongs to, so that all records of one owner can be removed; `null`: nothing. At most 200 characters. */
  readonly owner: string | null;
  readonly value: Value;
  /** Changes with every put and every claim; a settlement keeps it. A version is never given twice in a database, also after a removal. */
  readonly version: number;
  /** The version with which the record began; writes keep it, and a record that is put anew after its end has another one. */
  readonly born: number;
  /** When it began, by the storage's clock: milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since it began, when it was read. */
  readonly age: number;
}

/** A record that a process works on until the lease is over. */
export interface ClaimedRecord<Value = RecordValue> extends StoredRecord<Value> {
  /** How often it was claimed, this time included. */
  readonly claims: number;
}

export interface PutOptions {
  /** `null`, the default: none. */
  readonly owner?: string | null;
  /** Milliseconds until the record ends; `null`, the default: it stays until it is removed. */
  readonly lifetime?: number | null;
  /** Which record may be there: `"none"`, the one of this version, or `"any"`, the default, with none included. */
  readonly ifVersion?: "none" | "any" | number;
}

/** How many records of a kind there may be; 0: as many as come. */
export interface RecordQuota {
  readonly ofOwner: number;
  /** Whosever they are. */
  readonly inAll: number;
}

/** As in `PutOptions`; there must be no record of the id. */
export interface PutWithinOptions extends Pick<PutOptions, "lifetime"> {
  readonly owner: string;
  readonly quota: RecordQuota;
}

/** `exists`: there is one, and none was to be. `stale`: the record has another version by now, or is gone. */
export type PutOutcome = "stored" | "exists" | "stale";

/** If there is room for neither, it is `ownerFull`. */
export type PutWithinOutcome = "stored" | "exists" | "ownerFull" | "full";

/** What happens with a claimed record: it is removed, or it gets another value, another time to be claimed again in so many milliseconds, or both. */
export type Settlement<Value = RecordValue> = "done" | { readonly dueIn?: number; readonly value?: Value };

/** How many records there are, and the milliseconds since the oldest began; 0 if there are none. */
export interface RecordCount {
  readonly count: number;
  readonly oldest: number;
}

/**
 * Port: records of any kind, each a JSON value under an id. A record whose lifetime is over is as good as absent in every call. Time is the
 * storage's. An id, owner or value that is not storable: 307 where it would be written, and as good as absent elsewhere.
 */
export interface RecordRepository {
  /** Those that there are, in any order, each once. */
  get<Value = RecordValue>(kind: RecordKind<Value>, ids: readonly string[]): Promise<StoredRecord<Value>[]>;

  /** Writes a record. Of several calls at once with the same `"none"` or version, one is told `stored`. */
  put<Value = RecordValue>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    options?: PutOptions,
  ): Promise<PutOutcome>;

  /**
   * Adds a record if there is room, and none of this id (`exists`): never more than `room` says, however many calls in however many processes
   * add at once. Records that `put` writes count, and need no room.
   */
  putWithin<Value = RecordValue>(
    kind: RecordKind<Value>,
    id: string,
    value: Value,
    options: PutWithinOptions,
  ): Promise<PutWithinOutcome>;

  /** Removes a record and answers its value: of all who try at once, one is given it, and the others `null`. */
  take<Value = RecordValue>(kind: RecordKind<Value>, id: string): Promise<Value | null>;

  /** The ids of those that were there. */
  remove(
    kind: RecordKind<unknown>,
    selector: { readonly ids: readonly string[] } | { readonly owner: string },
  ): Promise<string[]>;

  /** At most `limit` in the order of their ids by code points, of one owner if one is given: from the first (`null`), or those after an id. */
  list<Value = RecordValue>(
    kind: RecordKind<Value>,
    selection: { readonly owner?: string; readonly after: string | null; readonly limit: number },
  ): Promise<StoredRecord<Value>[]>;

  count(kind: RecordKind<unknown>): Promise<RecordCount>;

  /**
   * Takes at most `limit` records that are due, those first that began first. No other call gets them within `lease` milliseconds. A record
   * is due at once when it is put. A claim never waits for another one.
   */
  claim<Value = RecordValue>(kind: RecordKind<Value>, limit: number, lease: number): Promise<ClaimedRecord<Value>[]>;

  /** Says what happens with a claimed record. `false`, and nothing changes, if it has another version by now, or is gone. */
  settle<Value = RecordValue>(
    kind: RecordKind<Value>,
    { id, version }: Pick<StoredRecord, "id" | "version">,
    settlement: Settlement<Value>,
  ): Promise<boolean>;

  /** Forgets at most `limit` records of any kind whose lifetime is over; answers how many there were of each kind that had some. */
  sweep(limit: number): Promise<ReadonlyMap<string, number>>;
}

/**
 * Changes a record that has no lifetime, however many change it at once. `work` gives the new value, or `null` to leave the record as it is; it
 * runs again with what others have written meanwhile. `false` if nothing was changed, or there is no such record.
 *
 * @param found the record as it was just read, which spares reading it
 */
export async function changeRecord<Value>(
  records: RecordRepository,
  kind: RecordKind<Value>,
  id: string,
  work: (value: Value) => Value | null,
  found?: Pick<StoredRecord<Value>, "owner" | "value" | "version">,
): Promise<boolean> {
  const read = async () => (await records.get(kind, [id]))[0];
  let record: typeof found = found ?? (await read());
  for (; record !== undefined; record = await read()) {
    const value = work(record.value);
    if (value === null) return false;
    const { owner, version: ifVersion } = record;
    if ((await records.put(kind, id, value, { owner, ifVersion })) === "stored") return true;
  }
  return false;
}

/** One part of a list: at most `limit` items, those after the place of one, such as its name, or from the first (`null`). */
export interface Part<Place = string> {
  readonly after: Place | null;
  readonly limit: number;
}

/** Everything that a list gives part by part. */
export async function allParts<T, Place = string>(
  list: (part: Part<Place>) => Promise<readonly T[]>,
  placeOf: (item: T) => Place,
  limit = 500,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const found = await list({ after: last === undefined ? null : placeOf(last), limit });
    all.push(...found);
    if (found.length < limit) return all;
  }
}
