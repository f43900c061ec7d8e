import { OutdatedModelError, ServiceError } from "@sallyport/core";
import { isConflict } from "./engine.js";
import { serviceErrorOf } from "./service-error-of.js";

/**
 * The calls of one transaction. They happen one after the other, in the order in which they were asked for; after one that
 * failed the others fail, too, so that nothing of the transaction is kept, or of the part of it in which that was.
 */
export class UnitOfWork {
  #connection;
  #engine;
  /** How deep in parts the work is. */
  #depth = 0;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {unknown} */
  #failure;
  #over = false;
  /** Whether it failed because others were faster, and may run again. */
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
    if (this.#over) return Promise.reject(new ServiceError(799, { detail: "The transaction is over." }));
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
   * Does a part, and undoes what it did if it throws. What has lost against others, and what has no database or no time any more, is
   * over as a whole.
   *
   * @template T
   * @param {() => Promise<T>} part
   * @returns {Promise<T>}
   */
  async attempt(part) {
    const depth = this.#depth + 1;
    await this.run((connection) => this.#engine.mark(connection, depth));
    this.#depth = depth;
    try {
      const result = await part();
      await this.settled();
      return result;
    } catch (error) {
      await this.#last;
      if (!this.#isOver()) {
        this.#failure = undefined;
        // If it fails, so does all that is asked for later.
        await this.run((connection) => this.#engine.undo(connection, depth)).catch(() => {});
      }
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Takes no more calls. */
  end() {
    this.#over = true;
  }

  /** Resolves when all calls are answered. Throws what one of them failed with. */
  async settled() {
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Whether no part can go on after what has failed. */
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
