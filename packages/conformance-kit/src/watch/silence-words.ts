/** One line about an event loop that was blocked for `silence` milliseconds during these checks. */
export function silenceWords(running: readonly string[], silence: number): string {
  const quoted = running.map((name) => `"${name}"`).join(", ");
  const where =
    running.length === 0
      ? "while no check runs"
      : `while ${running.length === 1 ? "this check runs" : "these checks run"}: ${quoted}`;
  return `The adapter has given the event loop no turn for ${silence / 1_000} s, ${where}. No timer fires, the time limit of the checks neither; let the adapter await setImmediate once per call or transaction.`;
}
