/** Marks unimplemented code. The kit recognizes it by name and reports such checks as unimplemented, not as failed. */
export class NotImplemented extends Error {
  /** @param {string} what */
  constructor(what) {
    super(`${what} is not implemented yet.`);
    this.name = "NotImplemented";
  }
}

/**
 * @param {string} what
 * @returns {never}
 */
export function notImplemented(what) {
  throw new NotImplemented(what);
}
