import { NotLoggedInError, SallyportError, TransportError } from "@sallyport/client";
import { errorEntry, isErrorCode } from "@sallyport/storage/errors";
import { didYouMean, printable } from "@sallyport/client/terminal";

/** The exit codes. Commander's usage errors have 2 too. */
export const exitCodes = { refused: 1, usage: 2, notLoggedIn: 3, unreachable: 4, local: 5 } as const;

type Reason = keyof typeof exitCodes;

/** A failure with a message for the user. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly reason: Reason = "usage",
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

/** Such as ` Did you mean "list"?`, with a leading space; empty if no name is close. */
export function hintFor(word: string, names: readonly string[]): string {
  const name = didYouMean(word, names);
  return name === undefined ? "" : ` Did you mean "${name}"?`;
}

/** Codes of a session that is missing or has ended. */
const sessionCodes: ReadonlySet<number> = new Set([200, 201, 202, 203, 204]);

const logInAdvice = 'Log in again with "sallyport log-in".';

/** Advice by error code. */
const advice: ReadonlyMap<number, string> = new Map([
  [101, "Pass another key with --app-key-file. It must have the scope admin."],
  [302, "Only administrators can log in. After too many failures, wait before the next attempt."],
  [340, "Set up the second factor for the app name administration first."],
  [341, "The token is needed. Pass it at the prompt, or as the next line of standard input."],
  [342, "Check the clock of the device that shows the token."],
  [320, "Choose a longer or less common password."],
  [404, "If you have the rights view or audit only, ask an administrator with all rights."],
  [607, "The database has a fault or is overloaded. Try again later."],
  [713, "Someone else has changed it. Run the command again."],
  [802, 'Log in again with "sallyport log-in", or run the command on a terminal.'],
]);

/** Makes a change that the server refuses if it takes the access of the administrator. Only a demo says in its response which rule was broken. */
export async function keepingAccess<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    if (!(cause instanceof SallyportError) || cause.code !== 307 || cause.debugMessage !== undefined) throw cause;
    const message = `Administrators cannot take their own access. Another administrator can.\n  Request id: ${cause.requestId}`;
    throw new CommandError(message, "refused", { cause });
  }
}

/** Prints why a command failed, and sets the exit code. */
export function report(error: unknown): void {
  const [reason, message] = described(error);
  process.stderr.write(`error: ${message}\n`);
  process.exitCode = exitCodes[reason];
}

function described(error: unknown): readonly [Reason, string] {
  if (error instanceof CommandError) return [error.reason, error.message];
  if (error instanceof SallyportError) return describedRefusal(error);
  if (error instanceof NotLoggedInError) return ["notLoggedIn", `There is no session. ${logInAdvice}`];
  if (error instanceof TransportError) return ["unreachable", `${error.message}${causeOf(error)}`];
  return ["local", error instanceof Error ? error.message : "Unexpected error."];
}

/** Code, name and reason of the error, what to do, and the request id. */
function describedRefusal(error: SallyportError): readonly [Reason, string] {
  const { code, notice, debugMessage, requestId, retryAfter } = error;
  const condition = isErrorCode(code) ? errorEntry(code).condition.replaceAll("`", "") : undefined;
  const ended = sessionCodes.has(code);
  const next = ended ? logInAdvice : advice.get(code);
  const lines = [
    error.message,
    ...[debugMessage ?? condition, notice].filter((text) => text !== undefined),
    ...(next === undefined ? [] : [next]),
    ...(retryAfter === undefined ? [] : [`Try again after ${retryAfter} seconds.`]),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ];
  return [ended ? "notLoggedIn" : "refused", lines.map(printable).join("\n  ")];
}

/** Such as ` (ECONNREFUSED)`. Node nests the reason. */
function causeOf({ cause, httpStatus }: TransportError): string {
  if (httpStatus !== undefined) return ` (HTTP ${httpStatus})`;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return "";
  const { code } = inner as { code?: unknown };
  return ` (${printable(typeof code === "string" ? code : inner.message)})`;
}
