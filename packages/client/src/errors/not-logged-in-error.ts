/** A call needs a session and there is none: nobody logged in, or somebody logged out meanwhile. Nothing was sent. */
export class NotLoggedInError extends Error {
  override readonly name = "NotLoggedInError";

  constructor(message = "This call needs a log-in.") {
    super(message);
  }
}
