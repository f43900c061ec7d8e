import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Asks on standard error and reads a line from the terminal without echo. `null` for Ctrl+C and at the end of the input. */
export async function hiddenLine(question: string): Promise<string | null> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string | null>((resolve) => {
      lines.once("line", resolve);
      for (const event of ["SIGINT", "close"]) lines.once(event, () => resolve(null));
    });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
