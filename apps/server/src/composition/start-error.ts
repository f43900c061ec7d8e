/** The server cannot start. The message tells the operator why. */
export class StartError extends Error {
  override readonly name = "StartError";
}
