import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import type { Configuration } from "../configuration/index.ts";
import { describeError } from "./describe-error.ts";
import { TextLines } from "./text-lines.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface OpenLogger {
  readonly logger: Logger;
  /** Writes what is still buffered, at once; for a process that cannot wait. */
  flush(): void;
  /** Resolves when everything is written, in order; nothing can be logged afterwards. */
  end(): Promise<void>;
}

type Destination = DestinationStream & Partial<Pick<ReturnType<typeof pino.destination>, "end" | "flushSync" | "once">>;

/** Milliseconds to wait for a reader who has stopped reading. */
const patience = 1_000;

/** The log of the server: one line per event on standard output. */
export function createLogger(
  { log, demo }: Pick<Configuration, "demo"> & { readonly log: Pick<Configuration["log"], "level" | "format"> },
  destination: Destination = standardOutput(),
): OpenLogger {
  const asText = log.format === "text" || (log.format === undefined && demo && process.stdout.isTTY);
  const options = {
    level: log.level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }), log: withoutSecrets },
    serializers: { err: describeError },
  };
  const logger = pino(options, asText ? new TextLines(destination) : destination);
  return { logger, flush: () => flush(destination), end: () => end(destination) };
}

function standardOutput(): Destination {
  const destination = pino.destination({ dest: 1, sync: false });
  // Whoever read the log has gone; that is no reason to stop serving.
  destination.on("error", () => {});
  return destination;
}

function flush(destination: Destination): void {
  try {
    destination.flushSync?.();
  } catch {
    // Nobody reads the log any more; there is no place left to say so.
  }
}

async function end(destination: Destination): Promise<void> {
  await new Promise<void>((resolve) => {
    if (destination.end === undefined) {
      resolve();
      return;
    }
    setTimeout(resolve, patience).unref();
    destination.once?.("close", () => resolve());
    destination.end();
  });
}
