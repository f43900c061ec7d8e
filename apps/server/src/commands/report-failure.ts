import { isDebugging } from "../configuration/index.ts";
import { plainWords } from "./plain-words.ts";

/** Tells on the terminal why the command failed; the stack only to those who debug. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`error: ${plainWords(error)}\n`);
  if (isDebugging() && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
