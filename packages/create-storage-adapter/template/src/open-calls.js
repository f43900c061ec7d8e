import { ServiceError } from "@sallyport/storage";

/** Counts running calls. Closing waits for them and refuses new ones. */
export class OpenCalls {
  #count = 0;
  /** @type {Promise<void> | undefined} */
  #closing;
  #finished = () => {};

  /**
   * @template T
   * @param {() => Promise<T>} call
   * @returns {Promise<T>}
   */
  async during(call) {
    if (this.#closing !== undefined) throw new ServiceError(706, { detail: "The storage is closed." });
    this.#count += 1;
    try {
      return await call();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#finished();
    }
  }

  /** Refuses new calls. Resolves when the last running call has ended. */
  close() {
    this.#closing ??= new Promise((resolve) => {
      this.#finished = resolve;
      if (this.#count === 0) resolve();
    });
    return this.#closing;
  }
}
