/** The command could not run; the message tells the author of the adapter what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
