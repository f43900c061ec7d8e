/** Failures of an output that no one reads any more. The second one is of what is written after the first. */
const closed: ReadonlySet<unknown> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);

/** An output stream. */
interface Output {
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Whether an error says that the reader of an output has gone. */
export function isClosedPipe(error: unknown): boolean {
  return closed.has((error as { readonly code?: unknown } | null)?.code);
}

/**
 * Lets the command go on when the reader of its output has gone, as `head` does: the rest of the output is lost, and the
 * command completes its work. Other failures of an output end the process as before.
 */
export function outliveReaders(outputs: readonly Output[] = [process.stdout, process.stderr]): void {
  for (const output of outputs)
    output.on("error", (error) => {
      if (!isClosedPipe(error)) throw error;
    });
}
