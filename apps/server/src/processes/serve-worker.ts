import cluster from "node:cluster";
import { endAfter, watchForFaults } from "./process-control.ts";
import { reportFailure } from "../command-line/report-failure.ts";
import { type RunningServer, startServer } from "../composition/start-server.ts";
import { StorageEngines } from "../composition/storages/storage-engines.ts";
import type { Configuration } from "../configuration/index.ts";
import { createLogger, type OpenLogger } from "../monitoring/create-logger.ts";
import { WorkerLink } from "./worker-link.ts";

/** Serves as a worker of the server, until the primary process tells it to leave. */
export async function serveWorker(read: () => Configuration, number: number): Promise<void> {
  // Terminals and service managers send signals to all processes. The primary process decides what they mean.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  let log: OpenLogger | undefined;
  try {
    const configuration = read();
    log = createLogger(configuration, undefined, number);
    await serveLinked(configuration, number, log);
  } catch (error) {
    reportFailure(error);
    await log?.end();
    // The channel to the primary process would keep this one alive.
    process.exit(1);
  }
}

async function serveLinked(configuration: Configuration, number: number, log: OpenLogger): Promise<void> {
  watchForFaults(log);
  cluster.worker?.once("disconnect", () => {
    log.logger.fatal("The primary process has ended");
    log.flush();
    process.exit(1);
  });
  let close: RunningServer["close"] = async () => {};
  let isLeaving = false;
  const link = new WorkerLink(number, (leaving) => {
    // The server ends while this worker, which a reload has replaced, still waits for its connections.
    if (isLeaving) return void close(leaving);
    isLeaving = true;
    const leave = async (): Promise<void> => {
      await close(leaving);
      await link.reportMetrics();
    };
    void endAfter(leave, log);
  });
  const server = await startServer(configuration, log.logger, new StorageEngines(), link);
  close = server.close;
  await link.ready(server.url);
}
