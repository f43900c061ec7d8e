import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type Account,
  type GivenPassword,
  mailAddress,
  type ObjectId,
  type PasswordPolicy,
  type Repositories,
  ServiceError,
} from "@sallyport/core";
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

/** Refuses, in words for whoever types it, a password that users could not choose either; else the text that is hashed. */
export function acceptPassword(policy: PasswordPolicy, given: GivenPassword, shortest?: number): string {
  try {
    return policy.accept(given, shortest);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 320) throw new CommandError(error.detail ?? error.message);
    throw error;
  }
}

/** The custom user with this name, who must be there. */
export async function findCustomUser({ accounts }: Repositories, name: string): Promise<Account> {
  const { account } = await accounts.find({ realm: "custom", loginName: name.normalize("NFC") }, []);
  if (account === null) throw new CommandError(`There is no custom user "${name}".`);
  return account;
}

/** The id of the database user with this name, who must be there. */
export async function findDatabaseUser({ accounts }: Repositories, name: string): Promise<ObjectId> {
  const { account } = await accounts.find({ realm: "database", loginName: name.normalize("NFC") }, []);
  if (account === null)
    throw new CommandError(
      `There is no user "${name}" in the database to map to. "sallyport-server user list" tells who there is.`,
    );
  return account.userId;
}

export function acceptEmail(given: string): string {
  const address = mailAddress(given);
  if (address === null)
    throw new CommandError(`"${given}" is no e-mail address: one bare address such as ada@example.com is expected.`);
  return address;
}
