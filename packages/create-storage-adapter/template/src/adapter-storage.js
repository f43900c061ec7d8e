import { setTimeout as delay } from "node:timers/promises";
import { builtInClasses, ServiceError } from "@sallyport/storage";
import * as archiveRecords from "./archive-records.js";
import { isConflict } from "./engine.js";
import { OpenCalls } from "./open-calls.js";
import { repositoriesOver } from "./repositories/index.js";
import { serviceErrorOf } from "./service-error-of.js";
import { storageArchive } from "./storage-archive.js";
import { UnitOfWork } from "./unit-of-work.js";
import { indexKey } from "./index-key.js";

/** Maximum number of attempts after conflicts, including the first. */
const attempts = 3;

/**
 * One database. Every repository call runs in a transaction: the caller's, or one of its own.
 *
 * @implements {Storage}
 * @typedef {import("@sallyport/storage").Storage} Storage
 * @typedef {import("@sallyport/storage").Repositories} Repositories
 * @typedef {import("@sallyport/storage").BatchRepositories} BatchRepositories
 * @typedef {import("@sallyport/storage").AttributeIndex} AttributeIndex
 */
export class AdapterStorage {
  #engine;
  #offset;
  #calls = new OpenCalls();
  #migrated = false;
  /** @type {Promise<void> | undefined} */
  #closed;

  /**
   * @param {import("./engine.js").Engine} engine
   * @param {{ clockOffset?: () => number }} [options] offset added to the engine's clock, in milliseconds; checks use it to advance time
   */
  constructor(engine, { clockOffset = () => 0 } = {}) {
    this.#engine = engine;
    this.#offset = clockOffset;
    this.capabilities = engine.capabilities;
    this.archive = storageArchive(engine, archiveRecords, (work) => this.#ready(work));
    this.repositories = repositoriesOver(
      this.#access(
        (work) => this.#call(work),
        (work) => this.#call(work, true),
      ),
    );
  }

  /**
   * @template T
   * @param {(r: Repositories, attempt: import("@sallyport/storage").Attempt) => Promise<T>} work
   * @returns {Promise<T>}
   */
  transaction(work) {
    return this.#transact((unit) => work(this.#over(unit), (nested) => unit.attempt(nested)));
  }

  /**
   * @template T
   * @param {(r: BatchRepositories) => Promise<T>} work
   * @returns {Promise<T>}
   */
  batch(work) {
    return this.#transact((unit) => {
      const running = work(this.#over(unit));
      // A batch accepts calls only until `work` returns its promise.
      unit.end();
      return running;
    });
  }

  /** @param {readonly import("@sallyport/storage").ClassDefinition[]} [classes] */
  migrate(classes = builtInClasses) {
    return this.#calls.during(async () => ({ applied: await this.#guarded(() => this.#engine.migrate(classes)) }));
  }

  /**
   * Without value indexes, the adapter only records the wanted indexes. With `valueIndexes`, build them here.
   *
   * @param {readonly AttributeIndex[]} wanted
   * @returns {Promise<import("@sallyport/storage").IndexReport>}
   */
  alignIndexes(wanted) {
    return this.#call(async (connection) => {
      const before = await this.#engine.indexKeys(connection);
      await this.#engine.keepIndexKeys(connection, wanted.map(indexKey));
      const built = wanted.filter((index) => !before.includes(indexKey(index)));
      return { built, removed: before.length + built.length - wanted.length };
    });
  }

  /**
   * @param {readonly AttributeIndex[]} indexes
   * @returns {Promise<AttributeIndex[]>}
   */
  readyIndexes(indexes) {
    return this.#call(async (connection) => {
      const ready = await this.#engine.indexKeys(connection);
      return indexes.filter((index) => ready.includes(indexKey(index)));
    });
  }

  health() {
    return this.#calls.during(() => this.#assertMigrated());
  }

  now() {
    const time = () => this.#engine.withConnection((connection) => this.#engine.now(connection));
    return this.#calls.during(async () => (await this.#guarded(time)) + this.#offset());
  }

  close() {
    this.#closed ??= this.#calls.close().then(() => this.#engine.close());
    return this.#closed;
  }

  /**
   * Returns repositories bound to a transaction.
   *
   * @param {UnitOfWork} unit
   */
  #over(unit) {
    return repositoriesOver(this.#access((work) => unit.run(work)));
  }

  /**
   * @param {import("./access.js").Runner} run
   * @param {import("./access.js").Runner} [read]
   * @returns {import("./access.js").Access}
   */
  #access(run, read = run) {
    const engine = this.#engine;
    /** @param {import("./engine.js").Connection} connection */
    const clock = (connection) => async () => (await engine.now(connection)) + this.#offset();
    return {
      run: (work) => run((connection) => work(connection, clock(connection))),
      read: (work) => read((connection) => work(connection, clock(connection))),
    };
  }

  /**
   * Runs a call in its own transaction.
   *
   * @template T
   * @param {(connection: import("./engine.js").Connection) => Promise<T>} work
   * @param {boolean} [reads] whether the call is read-only
   * @returns {Promise<T>}
   */
  #call(work, reads) {
    return this.#transact((unit) => unit.run(work), reads);
  }

  /**
   * Runs work in a transaction and retries it after a conflict. An error of the work is rethrown unchanged.
   *
   * @template T
   * @param {(unit: UnitOfWork) => Promise<T>} work
   * @param {boolean} [reads]
   * @returns {Promise<T>}
   */
  #transact(work, reads = false) {
    return this.#ready(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await this.#guarded(() =>
          this.#engine.withConnection((connection) => this.#attempt(connection, work, reads)),
        );
        if ("result" in outcome) return outcome.result;
        if (!outcome.conflicted || attempt === attempts) throw outcome.error;
        // Lets the other transaction finish before the retry.
        await delay(attempt * 10 + Math.random() * 20);
      }
    });
  }

  /**
   * @template T
   * @param {import("./engine.js").Connection} connection
   * @param {(unit: UnitOfWork) => Promise<T>} work
   * @param {boolean} reads
   * @returns {Promise<{ result: T } | { error: unknown, conflicted: boolean }>}
   */
  async #attempt(connection, work, reads) {
    const unit = new UnitOfWork(connection, this.#engine);
    /** @type {T} */
    let result;
    await this.#engine.begin(connection, reads);
    try {
      result = await work(unit);
      unit.end();
      await unit.settled();
    } catch (error) {
      unit.end();
      await unit.settled().catch(() => {});
      await this.#engine.rollback(connection);
      return { error, conflicted: unit.conflicted };
    }
    try {
      await this.#engine.commit(connection);
      return { result };
    } catch (error) {
      await this.#engine.rollback(connection).catch(() => {});
      return { error: serviceErrorOf(error), conflicted: isConflict(error) };
    }
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #ready(work) {
    return this.#calls.during(async () => {
      if (!this.#migrated) await this.#assertMigrated();
      return work();
    });
  }

  async #assertMigrated() {
    this.#migrated = await this.#guarded(() => this.#engine.isMigrated());
    if (!this.#migrated) throw new ServiceError(705, { detail: "The database is not migrated to this version." });
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #guarded(work) {
    try {
      return await work();
    } catch (error) {
      throw serviceErrorOf(error);
    }
  }
}
