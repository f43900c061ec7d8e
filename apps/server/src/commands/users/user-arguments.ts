import { text } from "node:stream/consumers";
import { acceptMailAddress, type NewPassword } from "@sallyport/core";
import { hiddenLine } from "@sallyport/client/terminal";
import { CommandError } from "../command-error.ts";
import { readGivenFile } from "../server-command.ts";

export interface PasswordOptions {
  readonly passwordFile?: string;
  readonly passwordDigest?: true;
}

/** Reads a new password, or with `--password-digest` the MD5 of one. */
export async function readPassword(options: PasswordOptions): Promise<NewPassword> {
  const given = await readSecret(options);
  return options.passwordDigest === true ? { passwordDigest: given } : { password: given };
}

/** Reads from a file, standard input or a prompt. Arguments are visible to other users. */
async function readSecret({ passwordFile }: PasswordOptions): Promise<string> {
  if (passwordFile !== undefined) return checked(readGivenFile(passwordFile).toString());
  if (!process.stdin.isTTY) return checked(await text(process.stdin));
  const first = await typed("Password: ");
  const second = await typed("Repeat password: ");
  if (first !== second) throw new CommandError("The passwords do not match.");
  return checked(first);
}

/** A trailing line break belongs to the file, not to the password. */
function checked(given: string): string {
  const password = given.replace(/\r?\n$/, "");
  if (password.trim() === "") throw new CommandError("The password is empty.");
  if (password.length > 1024 || /[\r\n]/.test(password)) {
    throw new CommandError("The password must be one line of at most 1024 characters.");
  }
  return password;
}

async function typed(question: string): Promise<string> {
  const line = await hiddenLine(question);
  if (line === null) throw new CommandError("The password is missing.");
  return line;
}

/** Sentence about ended sessions, with a leading space; empty for none. */
export function endedSessions(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " One session has ended." : ` ${count} sessions have ended.`;
}

export interface EmailOptions {
  readonly none?: true;
}

/** The given address, or `null` for `--none`. Requires exactly one of them. */
export function emailOf(address: string | undefined, { none }: EmailOptions, refusal: string): string | null {
  if ((address === undefined) === (none === undefined)) throw new CommandError(refusal);
  return address === undefined ? null : acceptMailAddress(address);
}
