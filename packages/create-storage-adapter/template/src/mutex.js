import { ServiceError } from "@sallyport/storage";

/** Runs work sequentially, in order of arrival. For engines with one connection. */
export class Mutex {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Throws 607 after the wait timeout. This also ends a call that a transaction makes outside itself: that call would
   * wait for its own end.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @param {number} [waitTimeout] milliseconds
   * @returns {Promise<T>}
   */
  async run(work, waitTimeout = 5_000) {
    const before = this.#last;
    /** @type {(value?: undefined) => void} */
    let over = () => {};
    const turn = new Promise((resolve) => {
      over = resolve;
    });
    this.#last = Promise.all([before, turn]);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new ServiceError(607, { retryAfter: 1 })), waitTimeout);
    });
    try {
      await Promise.race([before, late]);
      clearTimeout(timer);
      return await work();
    } finally {
      clearTimeout(timer);
      over();
    }
  }
}
