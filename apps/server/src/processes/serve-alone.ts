import { describeCapabilities, type Storage } from "@sallyport/storage";
import { administrationOf, issueConsoleTicket } from "@sallyport/core";
import { NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { terminalStyle } from "@sallyport/client/terminal";
import { consoleLink } from "../composition/public-address.ts";
import { type RunningServer, startServer } from "../composition/start-server.ts";
import { version } from "../composition/version.ts";
import {
  type Configuration,
  demoMacros,
  demoNote,
  isOnServer,
  maskedUrl,
  type StorageConfiguration,
} from "../configuration/index.ts";
import { banner } from "../demo/index.ts";
import { startWarnings } from "../composition/supplied-files.ts";
import { createLogger } from "../monitoring/create-logger.ts";
import { onHangUp, stopOnSignal, watchForFaults } from "./process-control.ts";

/**
 * Serves with this process.
 *
 * @param read reads the configuration again, for a reload
 */
export async function serveAlone(configuration: Configuration, read: () => Configuration): Promise<void> {
  const log = createLogger(configuration);
  const { logger } = log;
  watchForFaults(log);
  const began = performance.now();
  for (const warning of startWarnings(configuration)) logger.warn(warning);
  // With a database server configured, the demo may be unintended.
  const note = configuration.databases.some(({ storage }) => isOnServer(storage)) ? demoNote(configuration) : null;
  if (note !== null) logger.warn(note);
  let close: RunningServer["close"] = async () => {};
  // No load balancer sends requests to the demo or to a server in a terminal.
  const delayAfter = (signal: NodeJS.Signals) =>
    signal === "SIGINT" || configuration.demo ? 0 : configuration.server.drainDelay;
  stopOnSignal((signal) => close({ delay: delayAfter(signal) }), log);
  const starting = startServer(configuration, logger);
  // A failed start ends the process.
  const started = starting.catch(() => null);
  onHangUp(read, async (next) => (await started)?.reload(next), "databases and macros", logger);
  const server = await starting;
  close = server.close;
  const durationMs = Math.round(performance.now() - began);
  if (configuration.demo) {
    // The log writes to standard output separately. Its lines must precede the banner.
    log.flush();
    await printBanner(configuration, server);
  }
  const address = configuration.server.publicUrl ?? server.url;
  logger.info({ address, version, pid: process.pid, durationMs }, "Listening");
}

/** Prints the databases of the demo and how to use them. */
async function printBanner(
  { applicationName, databases, server, docs, mail }: Configuration,
  { url, demoStates, demoAdministrationKeys, hasFakeProviders, databases: opened, consoleUrl }: RunningServer,
): Promise<void> {
  const address = (server.publicUrl ?? url).replace(/\/$/, "");
  const storage = opened.get(databases[0]?.alias ?? "")?.storage;
  const services = { random: new NodeRandomSource() };
  const linkOf = async (alias: string): Promise<string | null> => {
    const database = opened.get(alias);
    if (!database || !demoStates.has(alias) || consoleUrl === null) return null;
    return consoleLink(consoleUrl, alias, await issueConsoleTicket({ ...administrationOf(database), services }));
  };
  const shown = databases.map(async ({ alias, name, macros: { directory } }) => ({
    alias,
    name,
    address: alias === "" ? address : `${address}/${alias}`,
    demo: demoStates.get(alias) ?? null,
    administrationKey: demoAdministrationKeys.get(alias) ?? null,
    consoleLink: await linkOf(alias),
    hasMacros: directory !== null && directory === demoMacros(),
  }));
  process.stdout.write(
    banner({
      name: applicationName,
      version,
      databases: await Promise.all(shown),
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
