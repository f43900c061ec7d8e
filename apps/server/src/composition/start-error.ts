/** The server cannot start, for a reason that its operator can do something about. */
export class StartError extends Error {
  override readonly name = "StartError";
}
