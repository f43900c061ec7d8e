import { describeCapabilities, type Storage } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import type { Command } from "commander";
import type { Logger } from "pino";
import { type RunningServer, startServer } from "../composition/start-server.ts";
import { version } from "../composition/version.ts";
import {
  type Configuration,
  demoMacros,
  demoNote,
  isOnServer,
  loadConfiguration,
  maskedUrl,
  type StorageConfiguration,
} from "../configuration/index.ts";
import { terminalStyle } from "@sallyport/terminal";
import { banner } from "../demo/index.ts";
import { createLogger, type OpenLogger } from "../operations/create-logger.ts";
import { type AliasOptions, noSuchCommand, type ServerCommand } from "./server-command.ts";

/** `serve`: runs the server until a signal stops it. */
export function defineServe(command: ServerCommand): void {
  command
    .withConfiguration()
    .addHelpText(
      "after",
      `
Without a configuration, the server starts the demo, in development and on loopback only.

SIGTERM  report not ready, serve requests for DRAIN_DELAY, finish requests in progress, exit
SIGINT   the same without the delay
SIGHUP   reload macros
A second SIGTERM or SIGINT exits at once.`,
    )
    .allowExcessArguments()
    .action(({ config }: AliasOptions, { args: [unknown], parent }: Command) => {
      // This is the default command and also receives unknown words.
      if (unknown !== undefined) throw noSuchCommand(unknown, parent as Command);
      return serve(loadConfiguration({ file: config }));
    });
}

async function serve(configuration: Configuration): Promise<void> {
  const log = createLogger(configuration);
  const { logger } = log;
  watchForFaults(log);
  const began = performance.now();
  for (const warning of configuration.warnings) logger.warn(warning);
  // With a database server configured, the demo may be unintended.
  const note = configuration.databases.some(({ storage }) => isOnServer(storage)) ? demoNote(configuration) : null;
  if (note !== null) logger.warn(note);
  let close: RunningServer["close"] = async () => {};
  let readMacros = (): void => {};
  // No load balancer sends requests to the demo or to a server in a terminal.
  stopOnSignal((signal) => close(signal === "SIGINT" || configuration.demo ? 0 : configuration.server.drainDelay), log);
  onHangUp(() => readMacros(), logger);
  const server = await startServer(configuration, logger);
  close = server.close;
  readMacros = server.readMacros;
  const durationMs = Math.round(performance.now() - began);
  if (configuration.demo) {
    // The log writes to standard output separately. Its lines must precede the banner.
    log.flush();
    printBanner(configuration, server);
  }
  const address = configuration.server.publicUrl ?? server.url;
  logger.info({ address, version, pid: process.pid, durationMs }, "Listening");
}

/** SIGHUP reloads the macros instead of ending the process, for deployments without a watched directory. */
function onHangUp(readMacros: () => void, logger: Logger): void {
  // In a terminal, SIGHUP means that the terminal closed. The process should end.
  if (process.stdin.isTTY) return;
  process.on("SIGHUP", () => {
    logger.info("Reloading macros");
    readMacros();
  });
}

function stopOnSignal(close: (signal: NodeJS.Signals) => Promise<void>, { logger, flush, end }: OpenLogger): void {
  let stopping = false;
  const finish = async (signal: NodeJS.Signals): Promise<void> => {
    let code = 0;
    try {
      await close(signal);
      logger.info("Stopped");
    } catch (err) {
      logger.error({ err }, "Shutdown failed");
      code = 1;
    }
    await end();
    // Open handles of libraries must not keep the process alive.
    process.exit(code);
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      logger.warn({ signal }, "Shutdown forced");
      flush();
      // The second signal ends a shutdown that hangs.
      process.exit(1);
    }
    stopping = true;
    logger.info({ signal }, "Shutting down");
    void finish(signal);
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
}

/** After an uncaught error the state of the process is undefined. */
function watchForFaults({ logger, flush }: OpenLogger): void {
  const fail = (what: string) => (err: unknown) => {
    logger.fatal({ err }, what);
    flush();
    // No drain: a faulty process must serve no further requests. The supervisor restarts it.
    process.exit(1);
  };
  process.on("uncaughtException", fail("Uncaught exception")).on("unhandledRejection", fail("Unhandled rejection"));
}

/** Prints the databases of the demo and how to use them. */
function printBanner(
  { applicationName, databases, server, docs, mail }: Configuration,
  { url, demoStates, hasFakeProviders, databases: opened }: RunningServer,
): void {
  const address = (server.publicUrl ?? url).replace(/\/$/, "");
  const storage = opened.get(databases[0]?.alias ?? "")?.storage;
  process.stdout.write(
    banner({
      name: applicationName,
      version,
      databases: databases.map(({ alias, name, macros: { directory } }) => {
        const hasMacros = directory !== null && directory === demoMacros();
        return {
          alias,
          name,
          address: alias === "" ? address : `${address}/${alias}`,
          demo: demoStates.get(alias) ?? null,
          hasMacros,
        };
      }),
      hasDocs: docs.enabled,
      hasFakeProviders,
      dataPlace: placeOf(databases[0]?.storage ?? null),
      mailFolder: mail.directory ?? null,
      capabilities: storage === undefined ? [] : whatMatters(storage),
      digests: new NodeDigests(),
      style: terminalStyle(process.stdout),
    }),
  );
}

/** The capabilities that matter to a new user. */
function whatMatters({ capabilities }: Storage): string[] {
  const words = describeCapabilities(capabilities);
  return (["durable", "severalProcesses"] as const).flatMap((name) => words.get(name) ?? []);
}

function placeOf(storage: StorageConfiguration | null): string {
  if (isOnServer(storage)) return maskedUrl(storage.url);
  if (storage?.engine === "module") return storage.module;
  return storage?.engine === "embedded" ? storage.dataDir : "memory";
}
