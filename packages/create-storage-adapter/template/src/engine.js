import { notImplemented } from "./not-implemented.js";

/**
 * The database to adapt. Start with this file. The code above it (lifecycle, transactions, retries after a conflict) is
 * complete and needs only these methods.
 *
 * @typedef {unknown} Connection the driver's connection
 */
export class Engine {
  /** Capabilities; the guide explains each one. The conformance kit checks the capabilities that are declared here. */
  capabilities = {
    durable: false,
    severalProcesses: false,
    parallelTransactions: false,
    valueIndexes: false,
    indexesPerTable: null,
    connections: null,
  };

  /** @type {readonly string[]} */
  #indexKeys = [];

  /** @param {Readonly<Record<string, unknown>>} options from the configuration; validate them here */
  constructor(options) {
    this.options = options;
  }

  /**
   * Lends a connection for exclusive use and waits until one is free. With a single connection, serialize transactions
   * with `Mutex` of mutex.js. With a synchronous driver, yield to the event loop here (`await setImmediate()` of
   * `node:timers/promises`); otherwise timers cannot fire between consecutive calls.
   *
   * @template T
   * @param {(connection: Connection) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async withConnection(work) {
    return notImplemented("Engine.withConnection");
  }

  /**
   * Begins a transaction at read committed or stricter. Reset per-transaction state of the connection here, such as its
   * stamp. With `severalProcesses`, read-only calls must succeed while another process has an open transaction or
   * import: do not take a shared writer lock for them.
   *
   * @param {Connection} connection
   * @param {boolean} [reads] whether this is a read-only call by `Access.read`, outside a transaction
   * @returns {Promise<void>}
   */
  async begin(connection, reads) {
    notImplemented("Engine.begin");
  }

  /**
   * @param {Connection} connection
   * @returns {Promise<void>}
   */
  async commit(connection) {
    notImplemented("Engine.commit");
  }

  /**
   * If a rollback also reverts object or event numbers, write the highest issued numbers again before another transaction can reuse them.
   * With SQL, in the same transaction: set a savepoint at its beginning; here `rollback to` it, write the numbers, `commit`.
   *
   * @param {Connection} connection
   * @returns {Promise<void>}
   */
  async rollback(connection) {
    notImplemented("Engine.rollback");
  }

  /**
   * Sets a savepoint for a nested transaction, with SQL `savepoint nested_<depth>`. A finished one leaves its
   * savepoint behind, and it is never used again.
   *
   * @param {Connection} connection
   * @param {number} depth nesting depth, from 1
   * @returns {Promise<void>}
   */
  async setSavepoint(connection, depth) {
    notImplemented("Engine.setSavepoint");
  }

  /**
   * Rolls back to the savepoint of this depth, with SQL `rollback to savepoint nested_<depth>`. Object numbers are never
   * reused: if the engine reverts them, write the highest one again afterwards. Forget a stamp taken in this nested transaction if
   * the engine reverts it, so that the next write takes a new one. Keep a stamp taken before it.
   *
   * @param {Connection} connection
   * @param {number} depth
   * @returns {Promise<void>}
   */
  async rollBackTo(connection, depth) {
    notImplemented("Engine.rollBackTo");
  }

  /**
   * Migrates the database to the newest version. A new database gets these classes. Concurrent migrations apply each
   * step once. Throws 705 for a database of a newer version.
   *
   * @param {readonly import("@sallyport/storage").ClassDefinition[]} classes
   * @returns {Promise<string[]>} the names of the newly applied migrations; empty if the database was up to date
   */
  async migrate(classes) {
    return notImplemented("Engine.migrate");
  }

  /**
   * Whether the database is migrated to this version. Called before each call until it returns true, and by every `health`. No connection
   * is lent for it. With a single connection, borrow it by `withConnection`, because a transaction can be open on it.
   *
   * @returns {Promise<boolean>}
   */
  async isMigrated() {
    return notImplemented("Engine.isMigrated");
  }

  /**
   * The engine's clock in milliseconds since 1970. Use the server's clock if there is a server, so that all processes agree.
   *
   * @param {Connection} connection
   * @returns {Promise<number>}
   */
  async now(connection) {
    return notImplemented("Engine.now");
  }

  /**
   * The value indexes that were requested last. They are kept in memory, for this process only. With `durable` or
   * `severalProcesses`, store them in the database.
   *
   * @param {Connection} connection
   * @returns {Promise<readonly string[]>}
   */
  async indexKeys(connection) {
    return this.#indexKeys;
  }

  /**
   * @param {Connection} connection
   * @param {readonly string[]} keys
   * @returns {Promise<void>}
   */
  async keepIndexKeys(connection, keys) {
    this.#indexKeys = keys;
  }

  /** Releases all resources. No call is running. */
  async close() {}
}

/**
 * Whether a driver error is a conflict (a deadlock, a serialization failure, a busy database) that a retry can resolve.
 *
 * @param {unknown} error
 * @returns {boolean}
 */
export function isConflict(error) {
  return false;
}

/**
 * Maps a driver error to a code: 704 unreachable database, 607 no free connection in time, 705 not migrated, 706
 * time-out; `undefined` for an unexpected error.
 *
 * @param {unknown} error
 * @returns {704 | 607 | 705 | 706 | undefined}
 */
export function codeOf(error) {
  return undefined;
}
