/** The command cannot run. The message tells the adapter's author how to fix it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
