import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { CommandError } from "../command-error.ts";

/** Additional data as JSON, from a file or from standard input; never from the command line, which others can see and shells remember. */
export async function readProviderData(file: string | undefined): Promise<unknown> {
  if (file !== undefined) return parsed(fromFile(file), `The file ${file}`);
  if (process.stdin.isTTY) console.error("Paste the additional data as JSON, then press Ctrl+D.");
  return parsed(await text(process.stdin), "What was given on standard input");
}

function fromFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
}

/** The parser's own message would quote what it was given, secrets included. */
function parsed(json: string, what: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch {
    throw new CommandError(`${what} is not valid JSON.`);
  }
}
