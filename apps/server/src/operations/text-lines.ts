import type { DestinationStream } from "pino";

type Entry = Readonly<Record<string, unknown>>;

interface LoggedError {
  readonly stack?: string;
  readonly message: string;
  readonly cause?: LoggedError;
}

/** Rewrites log lines for people. */
export class TextLines implements DestinationStream {
  constructor(private readonly destination: DestinationStream) {}

  write(line: string): void {
    const { level, time, msg, err, ...rest } = JSON.parse(line) as Entry;
    const clock = String(time).slice(11, 19);
    const facts = Object.entries(rest).map(([name, value]) => `${name}=${textOf(value)}`);
    const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${[msg, ...facts].join("  ")}\n`;
    this.destination.write(err === undefined ? head : `${head}${stackOf(err as LoggedError)}\n`);
  }
}

function textOf(value: unknown): string {
  if (value === "") return "(empty)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function stackOf({ stack, message, cause }: LoggedError): string {
  const own = stack ?? message;
  return cause === undefined ? own : `${own}\ncaused by ${stackOf(cause)}`;
}
