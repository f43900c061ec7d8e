import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { hiddenLine } from "@sallyport/client/terminal";
import { CommandError } from "./failures.ts";

/** Longest secret in characters. */
const longest = 1_024;

/**
 * Asks the user for secrets: without echo on a terminal, else one line of standard input for each question. Secrets are
 * no arguments, because other users of the machine can see these.
 */
export class Questions {
  private lines: string[] | undefined;

  get isInteractive(): boolean {
    return process.stdin.isTTY;
  }

  /** `name`: the asked thing, such as `Password`. */
  async secret(name: string, file?: string): Promise<string> {
    if (file !== undefined) return checked(name, readNamedFile(file));
    return checked(name, this.isInteractive ? await hiddenLine(`${name}: `) : await this.nextLine());
  }

  /** A secret that is set: asked twice on a terminal. */
  async newSecret(name: string, file?: string): Promise<string> {
    const first = await this.secret(name, file);
    if (file !== undefined || !this.isInteractive) return first;
    if ((await this.secret(`Repeat ${name.toLowerCase()}`)) !== first)
      throw new CommandError(`The entries for "${name}" do not match.`);
    return first;
  }

  /** All of standard input. */
  async everything(): Promise<string> {
    if (this.isInteractive) process.stderr.write("Reading standard input; end it with Ctrl+D.\n");
    return text(process.stdin);
  }

  private async nextLine(): Promise<string | null> {
    this.lines ??= (await text(process.stdin)).split(/\r?\n/);
    return this.lines.shift() ?? null;
  }
}

/** Reads a file that an option names. */
export function readNamedFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, "usage", { cause });
  }
}

/** A trailing line break belongs to the file, not to the secret. */
function checked(name: string, answer: string | null): string {
  const secret = (answer ?? "").replace(/\r?\n$/, "");
  if (secret.trim() === "") throw new CommandError(`${name} is missing. Type it, or pass it on standard input.`);
  if (secret.length > longest || /[\r\n]/.test(secret))
    throw new CommandError(`${name} must be one line of at most ${longest} characters.`);
  return secret;
}
