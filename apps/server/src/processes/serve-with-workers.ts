import cluster from "node:cluster";
import { onHangUp, stopOnSignal, watchForFaults } from "./process-control.ts";
import { listenerPlaces, requireFreePorts } from "../composition/listen.ts";
import type { StartError } from "../composition/start-error.ts";
import { version } from "../composition/version.ts";
import type { Configuration } from "../configuration/index.ts";
import { createLogger } from "../monitoring/create-logger.ts";
import { WorkerPool } from "./worker-pool.ts";

/**
 * Serves with several processes behind one listener: this one, the primary process, starts the others and passes
 * connections to them in turn.
 *
 * @param read reads the configuration again, for a reload
 */
export async function serveWithWorkers(configuration: Configuration, read: () => Configuration): Promise<void> {
  const { server, warnings, file } = configuration;
  const log = createLogger(configuration);
  const { logger } = log;
  watchForFaults(log);
  const began = performance.now();
  for (const warning of warnings) logger.warn(warning);
  await requireFreePorts(listenerPlaces(configuration));

  // A worker reads the configuration itself. The settings of the listener stay as they were at the start.
  const { host, port, workers } = server;
  const { listen } = configuration.console;
  const environment = {
    HOST: host,
    PORT: String(port),
    WORKERS: String(workers),
    ...(listen === undefined ? {} : { CONSOLE_LISTEN: listen }),
  };
  const fork = (number: number) => {
    const args = file === null ? [] : ["--config", file];
    cluster.setupPrimary({ args: ["serve", ...args, "--worker", String(number)] });
    return cluster.fork(environment);
  };
  const giveUp = async (reason: StartError): Promise<never> => {
    await pool.kill();
    logger.fatal(reason.message);
    await log.end();
    const { reportFailure } = await import("../command-line/report-failure.ts");
    reportFailure(reason);
    process.exit(1);
  };
  const pool = new WorkerPool({
    count: workers,
    logger,
    fork,
    timeouts: server.timeouts,
    giveUp: (reason) => void giveUp(reason),
  });
  stopOnSignal((signal) => pool.stop(signal === "SIGINT" ? 0 : server.drainDelay), log);
  const starting = pool.start();
  const reload = async ({ server: next, console: ofConsole }: Configuration): Promise<void> => {
    // A failed start ends the process.
    if ((await starting.catch(() => null)) === null) return;
    if (next.host !== host || next.port !== port || next.workers !== workers || ofConsole.listen !== listen)
      logger.warn(
        "A reload changes neither server.host, server.port, server.workers nor console.listen. Restart the server.",
      );
    await pool.reload();
  };
  onHangUp(read, reload, "workers", logger);

  let url: string;
  try {
    url = await starting;
  } catch (error) {
    await pool.kill();
    throw error;
  }
  const durationMs = Math.round(performance.now() - began);
  logger.info({ address: server.publicUrl ?? url, version, pid: process.pid, workers, durationMs }, "Listening");
}
