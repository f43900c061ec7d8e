/** What is still to be written. The kit knows it by its name, and counts checks that come to it as to be written, not as failed. */
export class NotWritten extends Error {
  /** @param {string} what */
  constructor(what) {
    super(`${what} is not written yet.`);
    this.name = "NotWritten";
  }
}

/**
 * @param {string} what
 * @returns {never}
 */
export function notWritten(what) {
  throw new NotWritten(what);
}
