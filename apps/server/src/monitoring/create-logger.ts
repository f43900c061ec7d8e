import { types } from "node:util";
import { ServiceError } from "@sallyport/storage";
import { MacroFault } from "@sallyport/core";
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import type { Configuration } from "../configuration/index.ts";
import { sourceStack } from "./source-stack.ts";

export interface OpenLogger {
  readonly logger: Logger;
  /** Writes the buffer synchronously, for a process that is about to exit. */
  flush(): void;
  /** Resolves when everything is written. No further logging is possible. */
  end(): Promise<void>;
}

type Destination = DestinationStream & Partial<Pick<ReturnType<typeof pino.destination>, "end" | "flushSync" | "once">>;

/** Milliseconds to wait for a reader that has stopped reading. */
const flushTimeout = 1_000;

/** Bytes that several processes can write to a pipe without mixing their lines. */
const atomicWrite = 4_096;

/** The log of the server: one line per event on standard output. Each line has the number of the worker, if there are several. */
export function createLogger(
  { log, demo }: Pick<Configuration, "demo"> & { readonly log: Pick<Configuration["log"], "level" | "format"> },
  destination?: Destination,
  worker: number | null = null,
): OpenLogger {
  const output = destination ?? standardOutput(worker !== null);
  const asText = log.format === "text" || (log.format === undefined && demo && process.stdout.isTTY);
  const options = {
    level: log.level,
    base: worker === null ? null : { worker },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }), log: withoutSecrets },
    serializers: { err: describeError },
  };
  const logger = pino(options, asText ? new TextLines(output) : output);
  return { logger, flush: () => flush(output), end: () => end(output) };
}

function standardOutput(isShared: boolean): Destination {
  const destination = pino.destination({ dest: 1, sync: false, ...(isShared ? { maxWrite: atomicWrite } : {}) });
  // A closed reader of the log must not stop the server.
  destination.on("error", () => {});
  return destination;
}

function flush(destination: Destination): void {
  try {
    destination.flushSync?.();
  } catch {
    // Without a reader, the failure cannot be reported.
  }
}

async function end(destination: Destination): Promise<void> {
  await new Promise<void>((resolve) => {
    if (destination.end === undefined) {
      resolve();
      return;
    }
    setTimeout(resolve, flushTimeout).unref();
    destination.once?.("close", () => resolve());
    destination.end();
  });
}

/** Loggable members of an error. Others could contain values of a query, a connection string or a request. */
interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly detail?: string;
  /** Position in the source of a macro. */
  readonly trace?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const deepest = 5;

/** Converts an error and its causes to plain data. */
function describeError(error: unknown, depth = 0): DescribedError {
  if (!types.isNativeError(error)) return { type: typeof error, message: "A value that is not an error was thrown." };
  const { code } = error as { code?: unknown };
  const detail = error instanceof ServiceError ? error.detail : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(detail === undefined ? {} : { detail }),
    ...(error instanceof MacroFault
      ? traceOf(error)
      : error.stack === undefined
        ? {}
        : { stack: sourceStack(error.stack) }),
    ...(error.cause === undefined || depth === deepest ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** The trace of the macro locates the failure. The server's stack locates only its detection. */
function traceOf({ trace }: MacroFault): { readonly trace?: string } {
  return trace === undefined ? {} : { trace };
}

/** Members whose values are never logged. */
const secrets = new Set([
  ..."pass password secret token url readUrls databaseUrl databaseReadUrls appKey appkey sessionId sessionid authorization cookie".split(
    " ",
  ),
  ..."secureToken secure-token symmetricKey credentials aesKey masterKey privateKey passphrase".split(" "),
]);

type Facts = Record<string, unknown>;

/** Masks secrets on the first two levels. The redaction of pino does the same at three times the cost of a line. */
function withoutSecrets(facts: Facts): Facts {
  let clean = facts;
  for (const name in facts) {
    const value = facts[name];
    const replaced = secrets.has(name) ? "***" : isPlain(value) ? withoutSecretMembers(value) : value;
    if (replaced === value) continue;
    if (clean === facts) clean = { ...facts };
    clean[name] = replaced;
  }
  return clean;
}

function withoutSecretMembers(value: Facts): Facts {
  const found = Object.keys(value).filter((name) => secrets.has(name));
  return found.length === 0 ? value : { ...value, ...Object.fromEntries(found.map((name) => [name, "***"])) };
}

function isPlain(value: unknown): value is Facts {
  return typeof value === "object" && value !== null && !(value instanceof Error) && !Array.isArray(value);
}

type Entry = Readonly<Record<string, unknown>>;

interface LoggedError {
  readonly stack?: string;
  readonly message: string;
  readonly cause?: LoggedError;
}

/** Formats log lines for users. Client input can neither start a line nor control the terminal. */
class TextLines implements DestinationStream {
  constructor(private readonly destination: DestinationStream) {}

  write(line: string): void {
    const { level, time, msg, err, ...rest } = JSON.parse(line) as Entry;
    const clock = String(time).slice(11, 19);
    const facts = Object.entries(rest).map(([name, value]) => `${visibleText(name)}=${valueText(value)}`);
    const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${[visibleText(String(msg ?? "")), ...facts].join("  ")}\n`;
    this.destination.write(err === undefined ? head : `${head}${stackOf(err as LoggedError)}\n`);
  }
}

/** Quotes values that are ambiguous as `name=value`. */
function valueText(value: unknown): string {
  if (value === "") return "(empty)";
  return visibleText(typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

/** Formats a stack. The message stays on one line. */
function stackOf({ stack, message, cause }: LoggedError): string {
  const lines = (stack ?? message).replace(message, () => visibleText(message)).split("\n");
  const own = lines.map(visibleText).join("\n");
  return cause === undefined ? own : `${own}\ncaused by ${stackOf(cause)}`;
}

/**
 * Characters that control a terminal or change the order or lines of a text: control characters, line and paragraph
 * separators, bidirectional controls and lone surrogates.
 */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes control and direction characters, so that the text is a single visible line. */
export function visibleText(text: string): string {
  return text.replace(
    unseen,
    (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, "0")}`,
  );
}
