/** One line about an event loop that was blocked for `blockedTime` milliseconds during these checks. */
export function blockedMessage(running: readonly string[], blockedTime: number): string {
  const quoted = running.map((name) => `"${name}"`).join(", ");
  const where =
    running.length === 0
      ? "outside the checks"
      : `during ${running.length === 1 ? "this check" : "these checks"}: ${quoted}`;
  return `The adapter has blocked the event loop for ${blockedTime / 1_000} s ${where}. No timer fires, not even the time limit of the checks. Let the adapter await setImmediate once per call or transaction.`;
}
