/** The folder was not made; the message tells what to do. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}
