import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CommandError } from "../command-group.ts";

/** A password from a file, from standard input, or typed twice; never from the command line, which others can see. */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) return checked(fromFile(file));
  if (!process.stdin.isTTY) return checked(await text(process.stdin));
  const first = await typed("Password: ");
  const second = await typed("Once more: ");
  if (first !== second) throw new CommandError("The two passwords are not the same.");
  return checked(first);
}

function fromFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
}

/** A line break at the end belongs to the file, not to the password. */
function checked(given: string): string {
  const password = given.replace(/\r?\n$/, "");
  if (password.trim() === "") throw new CommandError("The password is empty.");
  if (password.length > 1024 || /[\r\n]/.test(password)) {
    throw new CommandError("The password must be one line of at most 1024 characters.");
  }
  return password;
}

async function typed(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve).once("SIGINT", () => reject(new CommandError("Cancelled.")));
      lines.once("close", () => reject(new CommandError("No password was given.")));
    });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** " One session has ended.", or how many did; empty for none. */
export function endedSessions(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " One session has ended." : ` ${count} sessions have ended.`;
}

/** What to do where a custom user is mapped to a database user that does not exist. */
export const userListAdvice = '"sallyport-server user list" tells who there is.';
