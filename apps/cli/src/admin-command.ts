import type { SallyportAdmin } from "@sallyport/client/admin";
import { CommandError } from "./failures.ts";
import type { Outcome } from "./outcome.ts";
import type { Questions } from "./questions.ts";

type Described = readonly [words: string, description: string];

/** A command: a call of the client, and how its result is shown. */
export interface AdminCommand {
  /** Noun and verb, such as `user list`. */
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly Described[];
  readonly options?: readonly Described[];
  /** Further lines of help. */
  readonly details?: string;
  readonly call: (input: CommandInput) => Promise<Outcome>;
  /** With `--dry-run`, instead of the call: what it would change. It only reads. */
  readonly dryRun?: (input: CommandInput) => Promise<Outcome>;
}

/** The commands of a noun. */
export interface Noun {
  readonly name: string;
  readonly description: string;
  /** Lines of help: what to do, and the command for it. */
  readonly examples: readonly Described[];
  readonly commands: readonly AdminCommand[];
}

const durationForm = /^(\d{1,6})(s|m|h|d)$/;
const unitSizes: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const timeOfDayForm = /^(\d{1,2}):(\d{2})$/;
const isoForm = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

type Direction = "past" | "future";

function timeIn(text: string, direction: Direction): Date | undefined {
  const sign = direction === "past" ? -1 : 1;
  const [, count, unit = ""] = durationForm.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() + sign * Number(count) * (unitSizes.get(unit) ?? 0));
  // A day alone would be one in UTC.
  if (isoForm.test(text)) return new Date(text.length === "2026-01-31".length ? `${text}T00:00` : text);
  const [, hour, minute] = timeOfDayForm.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const time = new Date();
  time.setHours(Number(hour), Number(minute), 0, 0);
  if (sign * (time.getTime() - Date.now()) < 0) time.setDate(time.getDate() + sign);
  return time;
}

/** JSON of an option, an argument or a file. */
export function jsonIn(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(`${what} must be JSON.`, "usage", { cause });
  }
}

/** Arguments and options of a command, and the client to execute it. */
export class CommandInput {
  private password: Promise<string> | undefined;
  private read: Promise<string> | undefined;

  constructor(
    readonly admin: SallyportAdmin,
    readonly questions: Questions,
    private readonly words: readonly unknown[],
    private readonly values: ReadonlyMap<string, unknown>,
  ) {}

  /** The argument at an index. */
  word(index: number): string {
    return String(this.words[index]);
  }

  optionalWord(index: number): string | undefined {
    const word = this.words[index];
    return word === undefined ? undefined : String(word);
  }

  /** The arguments of a last, repeated one. */
  rest(index: number): readonly string[] {
    const words = this.words[index];
    return Array.isArray(words) ? words.map(String) : [];
  }

  /** The value of an option, by its name in camel case. */
  text(option: string): string | undefined {
    const value = this.values.get(option);
    return value === undefined ? undefined : String(value);
  }

  required(option: string): string {
    const value = this.text(option);
    if (value === undefined) throw new CommandError(`The option --${option} is missing.`);
    return value;
  }

  texts(option: string): readonly string[] | undefined {
    const value = this.values.get(option);
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  flag(option: string): boolean {
    return this.values.get(option) === true;
  }

  choice<const Word extends string>(name: string, word: string, words: readonly Word[]): Word {
    const chosen = words.find((each) => each === word);
    if (chosen === undefined) throw new CommandError(`${name} must be ${words.join(" or ")}, not "${word}".`);
    return chosen;
  }

  /**
   * The time of an option: ISO 8601, the last or next time of day, or a duration before or after now. Times without
   * an offset are those of this machine's zone.
   */
  time(option: string, direction: Direction): Date | undefined {
    const text = this.text(option);
    if (text === undefined) return undefined;
    const time = timeIn(text, direction);
    if (time === undefined || Number.isNaN(time.getTime()))
      throw new CommandError(
        `--${option} must be a duration such as 30m or 2h, a time of day such as 18:00, or a time such as 2026-01-31T12:00Z.`,
      );
    return time;
  }

  /** A new password, or with `--password-digest` its MD5. The call repeats after a proof; the question does not. */
  async newPassword(): Promise<{ readonly password: string } | { readonly passwordDigest: string }> {
    const isDigest = this.flag("passwordDigest");
    const question = isDigest ? "MD5 of the new password" : "New password";
    this.password ??= this.questions.newSecret(question, this.text("passwordFile"));
    const secret = await this.password;
    return isDigest ? { passwordDigest: secret } : { password: secret };
  }

  /** All of standard input. */
  standardInput(): Promise<string> {
    this.read ??= this.questions.everything();
    return this.read;
  }
}
