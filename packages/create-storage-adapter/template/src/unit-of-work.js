import { OutdatedModelError, ServiceError } from "@sallyport/storage";
import { isConflict } from "./engine.js";
import { serviceErrorOf } from "./service-error-of.js";

/**
 * The calls of one transaction. They run sequentially in the order of their requests. After a failed call, all later
 * calls fail, so that the transaction, or the nested transaction with the failure, is rolled back.
 */
export class UnitOfWork {
  #connection;
  #engine;
  /** Depth of the current nested transaction. */
  #depth = 0;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {unknown} */
  #failure;
  #over = false;
  /** Whether the transaction failed because of a conflict and can be retried. */
  conflicted = false;

  /**
   * @param {import("./engine.js").Connection} connection
   * @param {import("./engine.js").Engine} engine
   */
  constructor(connection, engine) {
    this.#connection = connection;
    this.#engine = engine;
  }

  /**
   * @template T
   * @param {(connection: import("./engine.js").Connection) => Promise<T>} work
   * @returns {Promise<T>}
   */
  run(work) {
    if (this.#over) return Promise.reject(new ServiceError(799, { detail: "The transaction has ended." }));
    const call = this.#last.then(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        return await work(this.#connection);
      } catch (error) {
        this.conflicted = isConflict(error);
        this.#failure = serviceErrorOf(error);
        throw this.#failure;
      }
    });
    this.#last = call.catch(() => {});
    return call;
  }

  /**
   * Runs a nested transaction and rolls it back if it throws. A conflict, a lost database or a time-out ends the whole
   * transaction.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async attempt(work) {
    const depth = this.#depth + 1;
    await this.run((connection) => this.#engine.setSavepoint(connection, depth));
    this.#depth = depth;
    try {
      const result = await work();
      await this.settled();
      return result;
    } catch (error) {
      await this.#last;
      if (!this.#isOver()) {
        this.#failure = undefined;
        // A failed rollback makes all later calls fail.
        await this.run((connection) => this.#engine.rollBackTo(connection, depth)).catch(() => {});
      }
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Refuses further calls. */
  end() {
    this.#over = true;
  }

  /** Resolves when all calls are answered. Throws the error of a failed call. */
  async settled() {
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Whether the failure ends the whole transaction. */
  #isOver() {
    const failure = this.#failure;
    if (this.conflicted) return true;
    return (
      failure instanceof ServiceError &&
      !(failure instanceof OutdatedModelError) &&
      [607, 704, 706].includes(failure.code)
    );
  }
}
