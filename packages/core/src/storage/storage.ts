import type { AttributeType, ClassDefinition } from "./entities/class-definition.ts";
import type { BatchRepositories, Repositories } from "./repositories.ts";
import type { StorageArchive } from "./storage-archive.ts";

/**
 * Does a part of a transaction: if it throws, what it wrote is undone, its error comes out unchanged, and the transaction goes
 * on. A part awaits everything that it asks for, and lets out the errors of calls that fail: one that catches them may succeed
 * with one engine and not with another. Parts nest; they do not overlap. A conflict with another transaction, a lost connection
 * and a call that took too long end the whole transaction, from any part: all that is asked for later fails
 * with the same error, and a conflict has the work run again as ever.
 */
export type Attempt = <T>(part: () => Promise<T>) => Promise<T>;

export interface MigrationReport {
  /** Names of the migrations applied now, in order; empty when the database was up to date. */
  readonly applied: readonly string[];
}

/** An index over the values of an attribute in the objects of exactly one class. */
export interface AttributeIndex {
  readonly className: string;
  readonly attribute: string;
  readonly type: AttributeType;
}

/** What was done to have the wanted indexes and no others. */
export interface IndexReport {
  readonly built: readonly AttributeIndex[];
  /** How many were taken away. */
  readonly removed: number;
}

/**
 * Port: one database. Failures of any call are `ServiceError`s: 704 when the database cannot be reached, 705 when it
 * is not migrated, 607 when no connection becomes free in time, 706 after `close`, when a call takes too long and when
 * it loses against others as often as it is tried (three times), 799 for what nobody expected.
 * No error carries text of the database except as its cause.
 */
export interface Storage {
  readonly capabilities: StorageCapabilities;

  /** The repositories outside of a transaction: each call is atomic by itself. */
  readonly repositories: Repositories;

  /** Everything that the database keeps, to be moved to another one. */
  readonly archive: StorageArchive;

  /**
   * Runs the work in one read-committed transaction: all of it is kept, or nothing if it throws. On a deadlock or a
   * serialization failure the work runs again, at most three times in all, so it awaits nothing but `r` and leaves no
   * trace elsewhere; the third time it is 706. It does not nest. Its error comes out unchanged. What may fail while the
   * transaction goes on is a part of it, done with `attempt`.
   */
  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T>;

  /**
   * A transaction of calls that are known beforehand: the work asks for all of them at once and then awaits their
   * answers. They happen in the order in which they were asked for, and all are kept, or nothing if one of them fails.
   * Where the engine can, it is one trip to the database. What is asked for later is refused with 799.
   */
  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T>;

  /**
   * Brings the database to the newest version. A new one gets these classes, in this order, and generation 1 of the model; the
   * built-in ones unless given. Safe when several processes do it at once, and under load.
   */
  migrate(classes?: readonly ClassDefinition[]): Promise<MigrationReport>;

  /**
   * Builds those of the wanted indexes that are missing, and takes away all others over values, while everybody goes on
   * reading and writing. May take minutes, during which `close` lets go of it; what it got done stays. Each index is wanted
   * once. Of more than `indexesPerTable` the first are built and the rest is left. `busy`, with nothing done, when another
   * process is at it. The answers of queries do not depend on it.
   */
  alignIndexes(wanted: readonly AttributeIndex[]): Promise<IndexReport | "busy">;

  /** Those among these indexes that are there and complete, in any order. */
  readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]>;

  /** Resolves if the database answers and is migrated; otherwise 704, 705 or 607. */
  health(): Promise<void>;

  /** The storage's clock, milliseconds since 1970. */
  now(): Promise<number>;

  /** Waits for what runs, then lets go of everything. Later calls are refused with 706. May be called twice. */
  close(): Promise<void>;
}

/** What an adapter can and cannot do, and its limits; declared by the adapter itself, never chosen by a test. */
export interface StorageCapabilities {
  /** What was acknowledged is there after the process was killed. */
  readonly durable: boolean;
  /** Several processes may work on one database at once. */
  readonly severalProcesses: boolean;
  /** Transactions go on side by side, as far as they do not write the same; otherwise they take turns. */
  readonly parallelTransactions: boolean;
  /** Indexes over values make queries faster; otherwise an account is kept of which ones there should be, and no more. */
  readonly valueIndexes: boolean;
  /** How many indexes over values a database can have, 16 at the least; `null`: as many as are wanted. */
  readonly indexesPerTable: number | null;
}

const words: { readonly [K in keyof StorageCapabilities]: (declared: StorageCapabilities[K]) => string } = {
  durable: (declared) => (declared ? "durable" : "gone with its process"),
  severalProcesses: (declared) => (declared ? "several processes" : "one process"),
  parallelTransactions: (declared) => (declared ? "parallel transactions" : "transactions take turns"),
  valueIndexes: (declared) => (declared ? "indexes over values" : "no indexes over values"),
  indexesPerTable: (declared) => (declared === null ? "as many indexes as wanted" : `at most ${declared} indexes`),
};

/** What an adapter declares, in words for its operator: one entry for each capability, the most important first. */
export function capabilityWords(capabilities: StorageCapabilities): ReadonlyMap<keyof StorageCapabilities, string> {
  const names = Object.keys(words) as (keyof StorageCapabilities)[];
  return new Map(names.map((name) => [name, (words[name] as (declared: unknown) => string)(capabilities[name])]));
}

/**
 * What the module of an adapter exports under the name `openStorage`, for servers that are configured with it: opens
 * one database. `options` are those of the configuration, unchecked. Throws an error whose message tells the operator, without a
 * secret, why it cannot; a database that cannot be reached at the moment is no reason, calls answer 704 as long as that lasts.
 */
export type OpenStorage = (options: Readonly<Record<string, unknown>>) => Storage | Promise<Storage>;
