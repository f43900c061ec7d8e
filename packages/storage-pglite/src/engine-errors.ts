/**
 * The embedded database stopped: it could not start, it gave up (a full disk, an I/O error, a fault of its own), or it
 * was closed. One kept in a directory starts again with the next connection and recovers as after a crash, so that
 * everything committed is there; one kept in memory is lost.
 */
export class EngineStoppedError extends Error {
  override readonly name = "EngineStoppedError";
  readonly code = "ENGINE_STOPPED";

  constructor(reason: string, options?: ErrorOptions) {
    super(`The embedded database stopped: ${reason}`, options);
  }
}

/**
 * A statement on the embedded database took longer than its `statement_timeout`. The database, kept in a directory, was
 * ended with it and starts again with the next connection: the transaction it was in is rolled back. One kept in memory
 * works on it to the end, and what it does outside of a transaction stays.
 */
export class StatementTimeoutError extends Error {
  override readonly name = "StatementTimeoutError";
  /** The SQLSTATE with which a server cancels a statement. */
  readonly code = "57014";

  constructor() {
    super("canceling statement due to statement timeout");
  }
}
