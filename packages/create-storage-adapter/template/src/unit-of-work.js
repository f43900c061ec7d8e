import { ServiceError } from "@sallyport/core";
import { isConflict } from "./engine.js";
import { serviceErrorOf } from "./service-error-of.js";

/**
 * The calls of one transaction. They happen one after the other, in the order in which they were asked for; after one that
 * failed the others fail, too, so that nothing of the transaction is kept.
 */
export class UnitOfWork {
  #connection;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** @type {unknown} */
  #failure;
  #over = false;
  /** Whether it failed because others were faster, and may run again. */
  conflicted = false;

  /** @param {import("./engine.js").Connection} connection */
  constructor(connection) {
    this.#connection = connection;
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

  /** Takes no more calls. */
  end() {
    this.#over = true;
  }

  /** Resolves when all calls are answered. Throws what one of them failed with. */
  async settled() {
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
