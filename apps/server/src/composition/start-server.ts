import type { Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Application, createServer, type DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import { type DemoProviders, type DemoState, startDemoProviders } from "../demo/index.ts";
import { createLogger } from "../operations/create-logger.ts";
import { createContainer } from "./create-container.ts";
import { identifiers } from "./identifiers.ts";
import { demoProvidersPlace } from "./public-address.ts";
import { StartError } from "./start-error.ts";
import { directoriesWithoutDatabase } from "./storages/embedded.ts";
import { StorageEngines } from "./storages/storage-engines.ts";
import { tlsFiles } from "./supplied-files.ts";

export interface RunningServer {
  /** Local URL with the base path, without a trailing slash. */
  readonly url: string;
  readonly address: AddressInfo;
  readonly databases: DatabaseDirectory;
  /** State of the demo by alias. Databases that were unavailable at startup are absent. */
  readonly demoStates: ReadonlyMap<string, DemoState>;
  /** Whether the server runs fake identity providers. */
  readonly hasFakeProviders: boolean;
  /** Reloads the macro directories with the next request. */
  readMacros(): void;
  /**
   * Finishes the active requests, then releases all resources. Idempotent. `delay`: milliseconds to serve requests
   * before that, while the server reports not ready.
   */
  close(delay?: number): Promise<void>;
}

/**
 * Starts the server: opens and prepares the databases, including the demo data, then listens. On failure it throws and
 * releases all resources. Checks that need no database come first. An unavailable database does not prevent the start.
 * Tests pass engines whose storages can fail.
 */
export async function startServer(
  configuration: Configuration,
  logger: Logger = createLogger(configuration).logger,
  engines: StorageEngines = new StorageEngines(),
): Promise<RunningServer> {
  const tls = tlsFiles(configuration);
  await requireFreePort(configuration.server);
  for (const dataDir of await directoriesWithoutDatabase(configuration.databases)) {
    logger.info({ dataDir }, "Creating database");
  }
  const demoProviders = await fakeProviders(configuration);
  const container = createContainer(configuration, logger, engines, demoProviders);
  try {
    const databases = await container.getAsync(identifiers.databases);
    const preparation = await container.getAsync(identifiers.preparation);
    const seeder = await container.getAsync(identifiers.demoSeeder);
    const sweeper = await container.getAsync(identifiers.sweeper);
    const banTimer = await container.getAsync(identifiers.banTimer);
    const fileKeeper = await container.getAsync(identifiers.fileKeeper);
    const indexKeeper = await container.getAsync(identifiers.indexKeeper);
    const macroFolders = await container.getAsync(identifiers.macroFolders);
    const macroRuntime = await container.getAsync(identifiers.macroRuntime);
    const mailRelay = await container.getAsync(identifiers.mailRelay);
    const licenceRelay = await container.getAsync(identifiers.licenceRelay);
    const refusalWriter = await container.getAsync(identifiers.refusalWriter);
    const application = await container.getAsync(identifiers.application);
    await fileKeeper.prepare();
    await preparation.run();

    const server = createServer(
      application,
      { ...configuration.server, maxConnections: configuration.server.maxConnections.total },
      tls,
    );
    const drain = new ConnectionDrain(server, application);
    const address = await listen(server, configuration.server);
    if (configuration.demo)
      (await container.getAsync(identifiers.callbackAddresses)).listening(urlOf(configuration, address));
    sweeper.start();
    banTimer.start();
    fileKeeper.start();
    mailRelay?.start(databases);
    licenceRelay?.start(databases);
    indexKeeper.start(databases, configuration.cleanup.interval);

    const stop = async (delay: number): Promise<void> => {
      preparation.stop();
      sweeper.stop();
      banTimer.stop();
      fileKeeper.stop();
      indexKeeper.stop();
      macroFolders.stop();
      const finished = await drain.run({ delay, timeout: configuration.server.timeouts.drain });
      if (!finished) logger.warn("Drain timed out; requests in progress were aborted");
      await refusalWriter.stop();
      // The finished requests may have queued messages. They are durable, so the next server sends them.
      await Promise.all([mailRelay?.stop(), licenceRelay?.stop()]);
      (await container.getAsync(identifiers.licenceReceiver))?.close();
      await (await container.getAsync(identifiers.mailer))?.close();
      await container.get(identifiers.credentialsCipher).close();
      await macroRuntime.close();
      await engines.close();
      await demoProviders?.close();
    };
    let closed: Promise<void> | undefined;
    return {
      url: urlOf(configuration, address),
      address,
      databases,
      demoStates: seeder.states,
      hasFakeProviders: demoProviders !== null,
      readMacros: () => macroFolders.refresh(),
      close: (delay = 0) => (closed ??= stop(delay)),
    };
  } catch (error) {
    await engines.close();
    await demoProviders?.close();
    throw error;
  }
}

async function fakeProviders(configuration: Configuration): Promise<DemoProviders | null> {
  const place = demoProvidersPlace(configuration);
  return place === null ? null : startDemoProviders(place);
}

function urlOf({ server: { tls, basePath } }: Configuration, { address, family, port }: AddressInfo): string {
  const scheme = tls.certificateFile === undefined ? "http" : "https";
  const reachable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  const host = family === "IPv6" ? `[${reachable}]` : reachable;
  return `${scheme}://${host}:${port}${basePath}`;
}

/** Detects an unavailable port early. `listen` would fail only after all preparations. */
async function requireFreePort(settings: Configuration["server"]): Promise<void> {
  const probe = createTcpServer((socket) => socket.destroy());
  await listen(probe, settings);
  await new Promise((closed) => {
    probe.close(closed);
  });
}

/** Starts listening and returns the bound address. */
async function listen(server: TcpServer, { host, port }: Configuration["server"]): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new StartError(reasonOf(error, host, port), { cause: error })));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      resolve(server.address() as AddressInfo);
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is already in use. Set PORT to another port, or to 0 for a free one.`;
    case "EACCES":
      return `This user cannot listen on port ${port} of ${host}. Set PORT to another port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Set HOST to another address.`;
    default:
      return `The server cannot listen on port ${port} of ${host} (${error.code ?? error.message}).`;
  }
}

/** Shuts a server down without losing responses. */
export class ConnectionDrain {
  constructor(
    private readonly server: Server,
    private readonly application: Pick<Application, "load" | "connections">,
  ) {}

  /**
   * Serves requests for `delay` milliseconds, so that load balancers see that the server is not ready. Each connection
   * closes with its next response. Then refuses new connections, closes idle ones and waits at most `timeout`
   * milliseconds for active requests before it destroys their connections. Returns whether all requests finished.
   */
  async run({ delay, timeout }: { readonly delay: number; readonly timeout: number }): Promise<boolean> {
    const { load, connections } = this.application;
    load.drain();
    if (!this.server.listening) return true;
    if (delay > 0) {
      connections.leave();
      await pause(delay);
    }
    let finished = true;
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    connections.drain();
    const late = setTimeout(() => {
      finished = !connections.areServing;
      connections.destroy();
    }, timeout);
    await closed;
    clearTimeout(late);
    return finished;
  }
}
