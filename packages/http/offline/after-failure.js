/* How the page goes on after a synchronization that failed. */
import { SallyportError } from "@sallyport/client";

/** Seconds until the next attempt, unless the server names them. */
export const usualPause = 2;

const sessionEnded = new Set([200, 201, 202, 203, 204]);

/**
 * `seconds` until the next attempt, which also repeats the log-in if necessary. Or the `reason` why only the user can log in
 * again: the client has no credentials, or they were refused.
 */
export function afterFailure(error) {
  const isRefusal = error instanceof SallyportError && error.httpStatus < 500 && error.httpStatus !== 429;
  if (!isRefusal || error.retryAfter !== undefined) return { seconds: error.retryAfter ?? usualPause };
  return { reason: sessionEnded.has(error.code) ? "The session has ended." : `The server refused: ${error.message}.` };
}
