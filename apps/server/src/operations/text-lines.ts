import type { DestinationStream } from "pino";
import { visibleText } from "./visible-text.ts";

type Entry = Readonly<Record<string, unknown>>;

interface LoggedError {
  readonly stack?: string;
  readonly message: string;
  readonly cause?: LoggedError;
}

/** Rewrites log lines for people. What a client chose can neither begin a line nor steer the terminal. */
export class TextLines implements DestinationStream {
  constructor(private readonly destination: DestinationStream) {}

  write(line: string): void {
    const { level, time, msg, err, ...rest } = JSON.parse(line) as Entry;
    const clock = String(time).slice(11, 19);
    const facts = Object.entries(rest).map(([name, value]) => `${visibleText(name)}=${valueText(value)}`);
    const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${[visibleText(String(msg ?? "")), ...facts].join("  ")}\n`;
    this.destination.write(err === undefined ? head : `${head}${stackOf(err as LoggedError)}\n`);
  }
}

/** In quotes where it could be taken for more than one fact. */
function valueText(value: unknown): string {
  if (value === "") return "(empty)";
  return visibleText(typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

/** The stack has a line for each frame; the message before them is one line, whatever it holds. */
function stackOf({ stack, message, cause }: LoggedError): string {
  const lines = (stack ?? message).replace(message, () => visibleText(message)).split("\n");
  const own = lines.map(visibleText).join("\n");
  return cause === undefined ? own : `${own}\ncaused by ${stackOf(cause)}`;
}
