/** A command failed. The message tells the user why. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
