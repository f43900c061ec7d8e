import { notWritten } from "./not-written.js";

/**
 * The database that you adapt: the file to begin with. Everything above it (the life of a storage, transactions, runs after
 * a conflict) is written already and needs no more than these methods.
 *
 * @typedef {unknown} Connection whatever your driver calls one
 */
export class Engine {
  /** What it can do; see the guide for what each of these means. Declare what is true: the kit then asks for it. */
  capabilities = {
    durable: false,
    severalProcesses: false,
    parallelTransactions: false,
    valueIndexes: false,
    indexesPerTable: null,
  };

  /** @type {readonly string[]} */
  #indexKeys = [];

  /** @param {Readonly<Record<string, unknown>>} options of the configuration; check them here */
  constructor(options) {
    this.options = options;
  }

  /**
   * Lends a connection that nobody else uses meanwhile, waiting for one if all are lent. Where there is only one, so that
   * transactions take turns, lend it by `Turns` of turns.js. With a driver that answers synchronously, let the event loop have a turn
   * here (`await setImmediate()` of `node:timers/promises`): otherwise no timer fires while calls follow one another.
   *
   * @template T
   * @param {(connection: Connection) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async withConnection(work) {
    return notWritten("Engine.withConnection");
  }

  /**
   * Begins a transaction, read-committed or more isolated. Reset here what the connection keeps for one transaction, such as
   * its stamp. With `severalProcesses`, calls that only read must be answered while another process has a transaction or an import open:
   * where this takes a lock that all writers share, do without it for them.
   *
   * @param {Connection} connection
   * @param {boolean} [reads] whether it is for a call that only reads: one by `Access.read`, outside of a transaction
   * @returns {Promise<void>}
   */
  async begin(connection, reads) {
    notWritten("Engine.begin");
  }

  /**
   * @param {Connection} connection
   * @returns {Promise<void>}
   */
  async commit(connection) {
    notWritten("Engine.commit");
  }

  /**
   * An engine that takes numbers of objects or events back with it writes once more the highest ones that were given, before anybody else
   * can get them. With SQL in the same transaction: a savepoint at its beginning, and here `rollback to` it, write the numbers, `commit`.
   *
   * @param {Connection} connection
   * @returns {Promise<void>}
   */
  async rollback(connection) {
    notWritten("Engine.rollback");
  }

  /**
   * Marks where a part of the transaction begins that can be undone alone, with SQL `savepoint part_<depth>`. A part that ended has
   * left a mark of the same depth behind; it is not asked for any more.
   *
   * @param {Connection} connection
   * @param {number} depth how deep in other parts, from 1
   * @returns {Promise<void>}
   */
  async mark(connection, depth) {
    notWritten("Engine.mark");
  }

  /**
   * Undoes all that the transaction did since it marked this depth, with SQL `rollback to savepoint part_<depth>`. Numbers of objects
   * are not given again: where the engine takes them back, write the highest one again behind it. A stamp that was taken in the part is
   * forgotten if the engine takes it back, so that the next write takes one anew; one that was taken before stays.
   *
   * @param {Connection} connection
   * @param {number} depth
   * @returns {Promise<void>}
   */
  async undo(connection, depth) {
    notWritten("Engine.undo");
  }

  /**
   * Brings the database to the newest version: creates what is missing. A new database gets these classes. Two who migrate at once do it
   * once. A database of a newer version: 705.
   *
   * @param {readonly import("@sallyport/core").ClassDefinition[]} classes
   * @returns {Promise<string[]>} the names of what was applied now; none when it was up to date
   */
  async migrate(classes) {
    return notWritten("Engine.migrate");
  }

  /**
   * Whether the database is migrated to this version. It is asked before the first call until it is, and by every `health`. No connection
   * is lent for it: where there is only one, borrow it by `withConnection`, as a transaction may be open on it.
   *
   * @returns {Promise<boolean>}
   */
  async isMigrated() {
    return notWritten("Engine.isMigrated");
  }

  /**
   * The engine's clock, milliseconds since 1970: that of the server where there is one, so that all processes have the same.
   *
   * @param {Connection} connection
   * @returns {Promise<number>}
   */
  async now(connection) {
    return notWritten("Engine.now");
  }

  /**
   * The indexes over values that were wanted last. In memory that is known to this process alone, and ends with it: once `durable`
   * or `severalProcesses` is declared, keep it in the database.
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

  /** Lets go of everything; no call runs any more. */
  async close() {}
}

/**
 * Whether work that failed with this error of the driver lost against others (a deadlock, a serialization failure, a busy
 * database) and can succeed when it runs again.
 *
 * @param {unknown} error
 * @returns {boolean}
 */
export function isConflict(error) {
  return false;
}

/**
 * What an error of the driver means: 704 the database cannot be reached, 607 no connection became free in time, 705 it is
 * not migrated, 706 it took too long; `undefined` for what nobody expects.
 *
 * @param {unknown} error
 * @returns {704 | 607 | 705 | 706 | undefined}
 */
export function codeOf(error) {
  return undefined;
}
