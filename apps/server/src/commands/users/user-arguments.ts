import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { acceptMailAddress } from "@sallyport/core";
import { CommandError } from "../command-error.ts";
import { readGivenFile } from "../server-command.ts";

export interface PasswordOptions {
  readonly passwordFile?: string;
}

/** A password from a file, from standard input, or typed twice; never from the command line, which others can see. */
export async function readPassword({ passwordFile }: PasswordOptions): Promise<string> {
  if (passwordFile !== undefined) return checked(readGivenFile(passwordFile).toString());
  if (!process.stdin.isTTY) return checked(await text(process.stdin));
  const first = await typed("Password: ");
  const second = await typed("Repeat password: ");
  if (first !== second) throw new CommandError("The passwords do not match.");
  return checked(first);
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
      lines.once("close", () => reject(new CommandError("The password is missing.")));
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

export interface EmailOptions {
  readonly none?: true;
}

/** The address that was given, or `null` for `--none`; exactly one of them has to be. */
export function emailOf(address: string | undefined, { none }: EmailOptions, refusal: string): string | null {
  if ((address === undefined) === (none === undefined)) throw new CommandError(refusal);
  return address === undefined ? null : acceptMailAddress(address);
}
