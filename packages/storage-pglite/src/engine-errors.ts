/**
 * The embedded database stopped: it could not start, it failed (a full disk, an I/O error, a bug), or it was closed. A
 * database in a directory restarts with the next connection and recovers as after a crash, with all committed data. A
 * database in memory is lost.
 */
export class EngineStoppedError extends Error {
  override readonly name = "EngineStoppedError";
  readonly code = "ENGINE_STOPPED";

  constructor(reason: string, options?: ErrorOptions) {
    super(`The embedded database stopped: ${reason}`, options);
  }
}

/**
 * A statement on the embedded database exceeded its `statement_timeout`. A database in a directory was killed and
 * restarts with the next connection; the transaction is rolled back. A database in memory completes the statement, and
 * its effects outside a transaction stay.
 */
export class StatementTimeoutError extends Error {
  override readonly name = "StatementTimeoutError";
  /** The SQLSTATE of a cancelled statement. */
  readonly code = "57014";

  constructor() {
    super("canceling statement due to statement timeout");
  }
}
