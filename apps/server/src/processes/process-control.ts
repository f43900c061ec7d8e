import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { OpenLogger } from "../monitoring/create-logger.ts";

/** Does the last work of this process and ends it: with the code 0, or 1 if the work fails. */
export async function endAfter(work: () => Promise<void>, { logger, end }: OpenLogger): Promise<never> {
  let code = 0;
  try {
    await work();
    logger.info("Stopped");
  } catch (err) {
    logger.error({ err }, "Shutdown failed");
    code = 1;
  }
  await end();
  // Open handles of libraries must not keep the process alive.
  process.exit(code);
}

/** Ends the process on SIGTERM and SIGINT, after `close`. */
export function stopOnSignal(close: (signal: NodeJS.Signals) => Promise<void>, log: OpenLogger): void {
  const { logger, flush } = log;
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      logger.warn({ signal }, "Shutdown forced");
      flush();
      // The second signal ends a shutdown that hangs.
      process.exit(1);
    }
    stopping = true;
    logger.info({ signal }, "Shutting down");
    void endAfter(() => close(signal), log);
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
}

/** On SIGHUP, reloads with the present configuration instead of ending the process. An invalid one changes nothing. */
export function onHangUp(
  read: () => Configuration,
  reload: (next: Configuration) => Promise<void>,
  what: string,
  logger: Logger,
): void {
  // In a terminal, SIGHUP means that the terminal closed. The process should end.
  if (process.stdin.isTTY) return;
  process.on("SIGHUP", () => {
    logger.info(`Reloading ${what}`);
    let next: Configuration;
    try {
      next = read();
    } catch (error) {
      logger.error({ reason: (error as Error).message }, "Reload refused: the configuration is invalid");
      return;
    }
    void reload(next).catch((err: unknown) => logger.error({ err }, "Reload failed"));
  });
}

/** After an uncaught error the state of the process is undefined. */
export function watchForFaults({ logger, flush }: OpenLogger): void {
  const fail = (what: string) => (err: unknown) => {
    logger.fatal({ err }, what);
    flush();
    // No drain: a faulty process must serve no further requests. The supervisor restarts it.
    process.exit(1);
  };
  process.on("uncaughtException", fail("Uncaught exception")).on("unhandledRejection", fail("Unhandled rejection"));
}
