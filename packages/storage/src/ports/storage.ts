import type { AttributeType, ClassDefinition } from "../entities/class-definition.ts";
import type { BatchRepositories, Repositories } from "./repositories.ts";
import type { StorageArchive } from "./storage-archive.ts";

/**
 * Runs work as a nested transaction (a savepoint). If the work throws, its writes are rolled back, its error is rethrown
 * unchanged, and the outer transaction continues. The work awaits all of its calls and rethrows their errors: a caught
 * error may succeed on one engine and fail on another. Nested transactions can nest but do not overlap. A conflict with
 * another transaction, a lost connection or a timeout ends the outermost transaction, at any depth. All later calls fail
 * with the same error. After a conflict, the work runs again as usual.
 */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

export interface MigrationReport {
  /** Names of the migrations applied now, in order; empty if the database was up to date. */
  readonly applied: readonly string[];
}

/** An index on an attribute of the objects of exactly one class. */
export interface AttributeIndex {
  readonly className: string;
  readonly attribute: string;
  readonly type: AttributeType;
}

/** Result of `alignIndexes`. */
export interface IndexReport {
  readonly built: readonly AttributeIndex[];
  /** Number of removed indexes. */
  readonly removed: number;
}

/**
 * Port: one database. All failures are `ServiceError`s. 704: the database cannot be reached. 705: it is not migrated.
 * 607: no connection became free in time. 706: storage is closed, a call timed out, or a transaction lost three
 * conflicts. `RefusedByStorageError`: the database was reached and refused the call. 799: an unexpected failure. Only the cause of an error may carry text of the database.
 */
export interface Storage {
  readonly capabilities: StorageCapabilities;

  /** Repositories outside a transaction: each call is atomic by itself. */
  readonly repositories: Repositories;

  /** Export and import of the whole database. */
  readonly archive: StorageArchive;

  /**
   * Runs the work in one read-committed transaction and commits, or rolls back if the work throws. The error is
   * rethrown unchanged. After a deadlock or serialization failure the work runs again, at most three times in all (on a
   * cluster: 20 times), then 706. The work must therefore await only `r`, and have no other side effects. Use `attempt`
   * for a nested transaction, which may fail while this one continues.
   */
  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T>;

  /**
   * Runs a transaction of calls known in advance: the work starts all calls at once, then awaits them. They run in the
   * order of the calls. All are committed, or none if one fails. Engines use a single round trip where possible. A call
   * started later fails with 799.
   */
  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T>;

  /**
   * Migrates the database to the latest schema version. A new database gets `classes` (default: the built-in ones) in
   * this order, and model generation 1. Safe under load and for concurrent processes.
   */
  migrate(classes?: readonly ClassDefinition[]): Promise<MigrationReport>;

  /**
   * Builds the missing indexes of `declared` and removes all other value indexes, while reads and writes continue. May
   * take minutes; `close` interrupts it, and finished indexes stay. `declared` has no duplicates. Beyond
   * `indexesPerTable`, the rest of the list is ignored. `busy`, without any change, if another process is aligning.
   * Query results do not depend on indexes.
   */
  alignIndexes(declared: readonly AttributeIndex[]): Promise<IndexReport | "busy">;

  /** Those of the given indexes that exist and are complete, in any order. */
  readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]>;

  /**
   * Resolves if the database is migrated and accepts writes; else throws 704 (also for a read-only database), 705, 607, or
   * `RefusedByStorageError`, such as for a full disk.
   */
  health(): Promise<void>;

  /** The storage's clock, milliseconds since 1970. */
  now(): Promise<number>;

  /** Waits for running calls, then releases all resources. Later calls throw 706. Idempotent. */
  close(): Promise<void>;
}

/** Capabilities and limits of an adapter, declared by the adapter. */
export interface StorageCapabilities {
  /** Acknowledged writes survive a crash of the process. */
  readonly durable: boolean;
  /** Several processes may use one database at once. */
  readonly severalProcesses: boolean;
  /**
   * Transactions run concurrently unless they conflict: then one waits or, over a kernel, runs again behind the other one. Otherwise they
   * run one after another.
   */
  readonly parallelTransactions: boolean;
  /** Value indexes speed up queries. Otherwise the adapter only records the declared indexes. */
  readonly valueIndexes: boolean;
  /** Maximum number of value indexes in a database, at least 16; `null`: unlimited. */
  readonly indexesPerTable: number | null;
  /** Maximum number of calls and transactions at once; the others wait for a connection. `null`: unlimited. */
  readonly connections: number | null;
}

const descriptions: { readonly [K in keyof StorageCapabilities]: (declared: StorageCapabilities[K]) => string } = {
  durable: (declared) => (declared ? "durable" : "not durable"),
  severalProcesses: (declared) => (declared ? "several processes" : "one process"),
  parallelTransactions: (declared) => (declared ? "parallel transactions" : "serial transactions"),
  valueIndexes: (declared) => (declared ? "value indexes" : "no value indexes"),
  indexesPerTable: (declared) => (declared === null ? "unlimited indexes" : `at most ${declared} indexes`),
  connections: (declared) => (declared === null ? "any number of calls at once" : `calls at once: ${declared}`),
};

/** Operator-readable text of each capability, most important first. */
export function describeCapabilities(
  capabilities: StorageCapabilities,
): ReadonlyMap<keyof StorageCapabilities, string> {
  const names = Object.keys(descriptions) as (keyof StorageCapabilities)[];
  return new Map(
    names.map((name) => [name, (descriptions[name] as (declared: unknown) => string)(capabilities[name])]),
  );
}

/**
 * The export `openStorage` of an adapter module: opens one database. `options` come from the configuration, unchecked.
 * Throws an error for invalid options; its message addresses the operator and contains no secret. An unreachable
 * database is not a reason to throw: calls return 704 until it is available. `clock` is empty except in tests.
 */
export type OpenStorage = (
  options: Readonly<Record<string, unknown>>,
  clock: StorageClock,
) => Storage | Promise<Storage>;

/** The clock that a test sets. */
export interface StorageClock {
  /** Milliseconds to add to each time of the storage. */
  readonly clockOffset?: () => number;
}

/** The means of a storage to continue after transactions were lost. Each step is idempotent. */
export interface StorageRecovery {
  /** The present timeline of the database server, and whether the database waits for a recovery. */
  look(): Promise<{ readonly timeline: string; readonly isPending: boolean }>;
  /**
   * Prevents that anything of the lost time is used twice. Ends the sessions of secure mode, or of all modes. Skips
   * object ids, change stamps, versions of records, generations of the model and the settings, and numbers of messages
   * and audit events.
   */
  skip(sessions: "secure" | "all"): Promise<void>;
  /** Lets the servers use this timeline. They notice it within a second. `false` if the present one is another. */
  accept(timeline: string): Promise<boolean>;
}
