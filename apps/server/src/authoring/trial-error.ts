/** A macro cannot be tried out, for a reason that whoever asked for it can do something about. */
export class TrialError extends Error {
  override readonly name = "TrialError";
}
