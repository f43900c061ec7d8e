import { setImmediate } from "node:timers/promises";
import { kernelVersion, ServiceError } from "@sallyport/storage";
import { Mutex } from "./mutex.js";
import { notImplemented } from "./not-implemented.js";

/**
 * The database to adapt. The docblocks of `Kernel` in `node_modules/@sallyport/storage/dist/kernel/kernel.d.ts` are the contract of
 * these methods; this class has the parts that most engines share. Change what does not fit yours.
 *
 * @implements {Kernel}
 * @typedef {import("@sallyport/storage").Kernel} Kernel
 * @typedef {import("@sallyport/storage").KernelReader} KernelReader
 * @typedef {import("@sallyport/storage").KernelTransaction} KernelTransaction
 * @typedef {import("@sallyport/storage").KernelRange} KernelRange
 * @typedef {import("@sallyport/storage").Row} Row
 * @typedef {import("@sallyport/storage").TableDeclaration} TableDeclaration
 */
export class DatabaseKernel {
  version = kernelVersion;

  /** The guide explains each capability. The conformance kit checks what is declared here. */
  capabilities = {
    durable: false,
    severalProcesses: false,
    parallelTransactions: false,
    valueIndexes: false,
    indexesPerTable: null,
    connections: null,
  };

  #closed = false;
  /** Transactions of one connection take turns. With a pool, take a connection for each instead. */
  #turns = new Mutex();

  /**
   * @param {Readonly<Record<string, unknown>>} options from the configuration; validate them here
   * @param {import("@sallyport/storage").StorageClock} [clock] only tests set it
   */
  constructor(options, { clockOffset = () => 0 } = {}) {
    this.options = options;
    this.clockOffset = clockOffset;
  }

  /**
   * Begin a read-only transaction with one snapshot, on a connection that no transaction uses.
   *
   * @template T
   * @param {(reader: KernelReader) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async read(work) {
    this.#checkOpen();
    await setImmediate(); // A synchronous driver would starve timers.
    return notImplemented("Kernel.read");
  }

  /**
   * Begin a transaction that excludes the other writers, or a serializable one that runs again after a conflict.
   *
   * @template T
   * @param {(transaction: KernelTransaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async transaction(work) {
    this.#checkOpen();
    return this.#turns.run(async () => {
      await setImmediate(); // A synchronous driver would starve timers.
      // begin; result = await work(new DatabaseTransaction(connection, () => this.now())); commit, or roll back if it throws
      return notImplemented("Kernel.transaction");
    });
  }

  /**
   * Create what is missing. One table for all rows, (table, key) → value, and one for all places, (table, index, place) → key, do for
   * many engines.
   *
   * @param {readonly TableDeclaration[]} tables
   * @returns {Promise<void>}
   */
  async migrate(tables) {
    this.#checkOpen();
    notImplemented("Kernel.migrate");
  }

  /** Try a write, such as an empty transaction, so that a read-only database and a full disk show. */
  async health() {
    this.#checkOpen();
    notImplemented("Kernel.health");
  }

  /** Waits for the running transactions, however long they take. */
  async close() {
    this.#closed = true;
    await this.#turns.run(async () => {}, 2 ** 31 - 1);
    // Wait for running reads, too, and close all connections.
  }

  /** The clock of the database if several processes share it. */
  now() {
    return Date.now() + this.clockOffset();
  }

  #checkOpen() {
    if (this.#closed) throw new ServiceError(706, { detail: "The storage is closed." });
  }
}

/**
 * One state of the database.
 *
 * @implements {KernelReader}
 */
export class DatabaseReader {
  /** @param {() => number} now */
  constructor(now) {
    this.time = now;
  }

  /**
   * @param {string} table
   * @param {readonly string[]} keys
   * @returns {Promise<readonly Pick<Row, "key" | "value">[]>}
   */
  async get(table, keys) {
    return notImplemented("KernelReader.get");
  }

  /**
   * @param {string} table
   * @param {KernelRange} range
   * @param {number} limit
   * @param {boolean} [descending]
   * @returns {Promise<readonly import("@sallyport/storage").FoundRow[]>}
   */
  async range(table, range, limit, descending) {
    return notImplemented("KernelReader.range");
  }

  /**
   * @param {string} table
   * @param {KernelRange} range
   * @param {number} atMost
   * @returns {Promise<number>}
   */
  async count(table, range, atMost) {
    return notImplemented("KernelReader.count");
  }

  async now() {
    return this.time();
  }

  /**
   * If transactions exclude one another: the stamp of the last one, as this state shows it.
   *
   * @returns {Promise<number>}
   */
  async watermark() {
    return notImplemented("KernelReader.watermark");
  }
}

/**
 * One transaction.
 *
 * @implements {KernelTransaction}
 */
export class DatabaseTransaction extends DatabaseReader {
  /**
   * @param {string} table
   * @param {readonly Row[]} rows
   * @returns {Promise<void>}
   */
  async put(table, rows) {
    notImplemented("KernelTransaction.put");
  }

  /**
   * @param {string} table
   * @param {readonly string[]} keys
   * @returns {Promise<void>}
   */
  async delete(table, keys) {
    notImplemented("KernelTransaction.delete");
  }

  /**
   * If transactions exclude one another: the watermark and one. The commit raises the watermark to it.
   *
   * @returns {Promise<number>}
   */
  async stamp() {
    return notImplemented("KernelTransaction.stamp");
  }
}
