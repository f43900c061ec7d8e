import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import type { Configuration } from "../configuration/index.ts";
import { describeError } from "./describe-error.ts";
import { TextLines } from "./text-lines.ts";

/** Members that are never written, whoever logs them and whatever they hold. */
const secrets =
  "pass password secret token url databaseUrl appKey appkey sessionId sessionid authorization cookie".split(" ");

export interface OpenLogger {
  readonly logger: Logger;
  /** Writes what is still buffered, at once. */
  flush(): void;
}

/** The log of the server: one line per event on standard output. */
export function createLogger(
  { log, demo }: Pick<Configuration, "log" | "demo">,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
): OpenLogger {
  const asText = log.format === "text" || (log.format === undefined && demo && process.stdout.isTTY);
  const options = {
    level: log.level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    serializers: { err: describeError },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: "***" },
  };
  const logger = pino(options, asText ? new TextLines(destination) : destination);
  return { logger, flush: () => flush(destination) };
}

function flush(destination: DestinationStream): void {
  try {
    (destination as { flushSync?: () => void }).flushSync?.();
  } catch {
    // Nobody reads the log any more; there is no place left to say so.
  }
}
