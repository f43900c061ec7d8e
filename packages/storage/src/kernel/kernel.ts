import type { JsonValue } from "../entities/stored-object.ts";
import type { StorageCapabilities, StorageClock } from "../ports/storage.ts";

/** The version of the interface below. It changes with everything that asks more of a kernel than before. */
export const kernelVersion = 1;

/**
 * A database as ordered tables of JSON values: all that an adapter must write. `kernelStorage` makes a `Storage` of it, whose
 * repositories hold every rule.
 *
 * Keys and places are texts of 1 to 8,192 bytes in UTF-8, ordered by code points, as their bytes are. They contain
 * neither U+0000 nor unpaired surrogates. All failures are `ServiceError`s with the codes of `Storage`; any other error counts
 * as 799. Calls of one reader or transaction never overlap, and none comes after the end of the work.
 */
export interface Kernel {
  /** The version of this interface that the kernel implements: `kernelVersion` of the package that it was written for. */
  readonly version: number;

  readonly capabilities: StorageCapabilities;

  /**
   * Reads one committed state, from the first call of the reader to the end of the work. An error of the work is rethrown unchanged. Neither waits for transactions nor
   * lets them wait, as it can take as long as an export.
   */
  read<T>(work: (reader: KernelReader) => Promise<T>): Promise<T>;

  /**
   * Runs the work in a transaction, and commits unless it throws. Its error is rethrown unchanged, and nothing is kept. Committed
   * transactions have the outcome of some serial order, in every process: two that each read an empty range, or a count below a
   * limit, and both write into it, never both commit. Either they exclude one another, or the loser runs again (the kernel then
   * declares `parallelTransactions`): at most 20 times, then 706. So the work has no other effects. Once this resolves, every later
   * `read` of any process shows the writes, and with the capability `durable` they survive a crash.
   */
  transaction<T>(work: (transaction: KernelTransaction) => Promise<T>): Promise<T>;

  /**
   * Creates the missing ones of these tables and indexes. Idempotent, also for concurrent processes, and safe beside servers
   * of an earlier version. Rows stay. Before it, every other call but `close` fails with 705.
   */
  migrate(tables: readonly TableDeclaration[]): Promise<void>;

  /**
   * Resolves if the database accepts writes; else throws 704 (also for a read-only database), 705, 607, or
   * `RefusedByStorageError`, such as for a full disk.
   */
  health(): Promise<void>;

  /** Waits for running work, then releases all resources. Later calls throw 706. Idempotent. */
  close(): Promise<void>;
}

export interface TableDeclaration {
  /** ASCII letters, unique. */
  readonly name: string;
  /** Names of its indexes: ASCII letters. */
  readonly indexes: readonly string[];
}

/** A row to store. */
export interface Row {
  /** Unique in its table. */
  readonly key: string;
  /** An object. `null`, numbers and texts in it are kept exactly; the order of members does not matter. */
  readonly value: JsonValue;
  /** The places of the row in the indexes of its table: any number in each. No other row has the same place. */
  readonly places: Readonly<Record<string, readonly string[]>>;
}

/** A row as found. */
export interface FoundRow extends Pick<Row, "key" | "value"> {
  /** The place at which a range found it; for a range of keys, the key. */
  readonly place: string;
}

/** A part of a table in the order of its keys, or of the places in one of its indexes. */
export interface KernelRange {
  /** Default: the keys. */
  readonly index?: string;
  /** The first key or place. Default: the lowest. */
  readonly from?: string;
  /** The first one behind the range. Default: none. */
  readonly to?: string;
}

export interface KernelReader {
  /** The rows with these keys, each once, in any order. Unknown keys are absent. At most 1,000 keys. */
  get(table: string, keys: readonly string[]): Promise<readonly Pick<Row, "key" | "value">[]>;

  /** At most `limit` rows of a range, from its beginning, or from its end if `descending`. A row occurs once for each place. */
  range(table: string, range: KernelRange, limit: number, descending?: boolean): Promise<readonly FoundRow[]>;

  /** The number of keys or places in a range; counting stops at `atMost`. Faster than reading them. */
  count(table: string, range: KernelRange, atMost: number): Promise<number>;

  /** The clock of the database, milliseconds since 1970. The same for all processes, and not that of the begin of a transaction. */
  now(): Promise<number>;

  /**
   * The highest stamp at or below which no stamp of a transaction can appear any more that this read does not show. It
   * never decreases. A transaction that is open, in any process, holds it below its own stamp. Each commit that has written raises
   * it, also without a call of `stamp`.
   */
  watermark(): Promise<number>;
}

export interface KernelTransaction extends KernelReader {
  /**
   * Stores rows: at most 1,000. Each replaces the row with its key, and all places of that row; of two with one key, the last one stays.
   * A row can take over a place of another one in the same call. Reads of the transaction see it. A call that is refused
   * (`RefusedByStorageError`) can leave a part: the layer above writes the old rows back, or ends the transaction.
   */
  put(table: string, rows: readonly Row[]): Promise<void>;

  /** Removes the rows with these keys, with their places. Ignores unknown keys. */
  delete(table: string, keys: readonly string[]): Promise<void>;

  /**
   * The stamp of the transaction: a positive integer, the same for each call. Above the watermark that any earlier read has seen,
   * and no other committed transaction has it.
   */
  stamp(): Promise<number>;
}

/**
 * The export `openKernel` of an adapter module: opens one database. `options` come from the configuration, unchecked.
 * Throws an error for invalid options; its message addresses the operator and contains no secret. An unreachable
 * database is not a reason to throw: calls return 704 until it is available. `clock` is empty except in tests.
 */
export type OpenKernel = (options: Readonly<Record<string, unknown>>, clock: StorageClock) => Kernel | Promise<Kernel>;
