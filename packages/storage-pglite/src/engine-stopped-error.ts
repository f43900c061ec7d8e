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
