/** A command cannot do what it was asked to; the message tells the user why. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
