/** Codes of writes to an output that no one reads any more: the first such write, and those after it. */
const closedCodes: ReadonlySet<unknown> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);

/** What `outliveReaders` needs of an output stream. */
interface Output {
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Whether an error says that the reader of an output has gone. */
export function isClosedPipe(error: unknown): boolean {
  return closedCodes.has((error as { readonly code?: unknown } | null)?.code);
}

/**
 * Lets the command go on when the reader of its output, such as `head`, has gone: the rest of the output is lost, and the
 * command completes its work. Other failures of an output end the process as before.
 */
export function outliveReaders(outputs: readonly Output[] = [process.stdout, process.stderr]): void {
  for (const output of outputs)
    output.on("error", (error) => {
      if (!isClosedPipe(error)) throw error;
    });
}
