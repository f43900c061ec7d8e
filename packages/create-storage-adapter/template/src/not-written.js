/** Marks unimplemented code. The kit recognizes it by name and reports such checks as unimplemented, not as failed. */
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
