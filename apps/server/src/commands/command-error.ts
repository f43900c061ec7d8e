/** A command cannot do what it was asked to; the message says why, to whoever typed it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
