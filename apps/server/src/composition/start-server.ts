import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, Server as TcpServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Application, createServer, type DatabaseDirectory, type ServerLimits } from "@sallyport/http";
import type { Logger } from "pino";
import type { Configuration, DatabaseConfiguration } from "../configuration/index.ts";
import { type DemoProviders, type DemoState, startDemoProviders } from "../demo/index.ts";
import { createLogger } from "../monitoring/create-logger.ts";
import { functionFactory } from "./components.ts";
import { createContainer } from "./create-container.ts";
import type { Leaving, WorkerLink } from "../processes/worker-link.ts";
import { components } from "./components.ts";
import { listen, listenerPlaces, requireFreePorts } from "./listen.ts";
import { demoProvidersPlace, reachableHost, schemeOf } from "./public-address.ts";
import { openParts } from "./server-parts.ts";
import { directoriesWithoutDatabase } from "./storages/embedded.ts";
import { StorageEngines } from "./storages/storage-engines.ts";
import { tlsFiles } from "./supplied-files.ts";
import { standardTuning, type Tuning } from "./tuning.ts";

export interface RunningServer {
  /** Local URL with the base path, without a trailing slash. */
  readonly url: string;
  /** The same of the listener that serves the console; `null` without a console. */
  readonly consoleUrl: string | null;
  readonly address: AddressInfo;
  readonly databases: DatabaseDirectory;
  /** State of the demo by alias. Databases that were unavailable at startup are absent. */
  readonly demoStates: ReadonlyMap<string, DemoState>;
  /** App keys for the administration of the demo, by alias. */
  readonly demoAdministrationKeys: ReadonlyMap<string, string>;
  /** Whether the server runs fake identity providers. */
  readonly hasFakeProviders: boolean;
  /** Reloads the macro directories with the next request. */
  readMacros(): void;
  /**
   * Serves the databases of another configuration, and reads the macro directories again. Resolves when the databases
   * that are no longer served are closed. Other settings stay; the log names them. Throws if a database cannot be
   * opened; then nothing changes.
   */
  reload(next: Configuration): Promise<void>;
  /**
   * Serves one database with another configuration. Resolves when it is served. Throws a `TypeError` for an unknown
   * alias.
   */
  replace(alias: string, database: DatabaseConfiguration): Promise<void>;
  /** Finishes the active requests, then releases all resources. A second call ends the delay of the first one. */
  close(leaving?: Partial<Leaving>): Promise<void>;
}

/**
 * Starts the server: opens and prepares the databases, including the demo data, then listens. On failure it throws and
 * releases all resources. Checks that need no database come first. An unavailable database does not prevent the start.
 * Tests pass engines whose storages can fail, and other figures. `worker` links a worker to its primary process, which
 * has the listener.
 */
export async function startServer(
  configuration: Configuration,
  logger: Logger = createLogger(configuration).logger,
  engines: StorageEngines = new StorageEngines(),
  worker: WorkerLink | null = null,
  tuning: Tuning = standardTuning,
): Promise<RunningServer> {
  const tls = tlsFiles(configuration);
  const places = listenerPlaces(configuration);
  if (worker === null) await requireFreePorts(places);
  for (const dataDir of await directoriesWithoutDatabase(configuration.databases)) {
    logger.info({ dataDir }, "Creating database");
  }
  const demoProviders = await fakeProviders(configuration);
  const container = createContainer(configuration, logger, engines, demoProviders, worker, {
    tuning: functionFactory(() => tuning, []),
  });
  try {
    const parts = await openParts(container);
    const { databases, application } = parts;
    await parts.prepare();

    // The primary process would pass refused connections on to another worker, or to the same one again.
    const limits = serverLimits(configuration, tuning);
    const ofWorker = worker === null ? limits : { ...limits, maxConnections: null };
    const server = createServer(application, ofWorker, tls);
    const address = await listen(server, places.main);
    const servers = [server];
    let administrationAddress = address;
    if (places.administration !== null) {
      const { administrationListener: listener } = application;
      servers.push(createServer({ ...application, listener }, ofWorker, tls));
      administrationAddress = await listen(servers.at(-1) as Server, places.administration);
    }
    const drain = new ConnectionDrain(servers, application);
    if (configuration.demo)
      (await container.getAsync(components.callbackAddresses)).listening(urlOf(configuration, address));
    parts.start({ isFirst: worker === null || worker.number === 1 });

    const stop = async ({ delay = 0, isReplaced = false }: Partial<Leaving>): Promise<void> => {
      parts.stopTimers();
      const finished = await drain.run({ delay, isReplaced, timeout: configuration.server.timeouts.drain });
      if (!finished) logger.warn("Drain timed out; requests in progress were aborted");
      await parts.release();
      await demoProviders?.close();
    };
    let closed: Promise<void> | undefined;
    return {
      url: urlOf(configuration, address),
      consoleUrl: application.hasConsole ? urlOf(configuration, administrationAddress) : null,
      address,
      databases,
      demoStates: parts.demoStates,
      demoAdministrationKeys: parts.demoAdministrationKeys,
      hasFakeProviders: demoProviders !== null,
      readMacros: () => parts.readMacros(),
      reload: (next) => parts.reload(next),
      replace: (alias, database) => parts.changes.replace(alias, () => database),
      close: (leaving = {}) => {
        if (closed === undefined) closed = stop(leaving);
        else drain.endDelay();
        return closed;
      },
    };
  } catch (error) {
    await engines.close();
    await demoProviders?.close();
    throw error;
  }
}

export function serverLimits({ server: { timeouts, maxConnections } }: Configuration, { http }: Tuning): ServerLimits {
  // Node refuses a request timeout that is shorter than that of its headers.
  const headers = Math.min(http.headersTimeout, timeouts.request);
  return { timeouts: { ...timeouts, headers }, maxConnections: maxConnections.total };
}

async function fakeProviders(configuration: Configuration): Promise<DemoProviders | null> {
  const place = demoProvidersPlace(configuration);
  return place === null ? null : startDemoProviders(place);
}

function urlOf({ server: { tls, basePath } }: Configuration, { address, port }: AddressInfo): string {
  return `${schemeOf(tls)}://${reachableHost(address)}:${port}${basePath}`;
}

/** Shuts the servers of an application down without losing responses. */
export class ConnectionDrain {
  /** Ends the delay of a run. */
  endDelay: () => void = () => {};

  constructor(
    private readonly servers: readonly Server[],
    private readonly application: Pick<Application, "load" | "connections">,
  ) {}

  /**
   * Serves requests for `delay` milliseconds, so that load balancers see that the server is not ready. Each connection
   * closes with its next response. Then refuses new connections, closes idle ones and waits at most `timeout`
   * milliseconds for active requests before it destroys their connections. Returns whether all requests finished.
   */
  async run({ delay, isReplaced = false, timeout }: DrainOrder): Promise<boolean> {
    const { load, connections } = this.application;
    load.drain({ staysReady: isReplaced });
    const listening = this.servers.filter((server) => server.listening);
    if (listening.length === 0) return true;
    const closed = Promise.all(listening.map((server) => once(server, "close")));
    // The method of HTTP would close idle connections, on which requests can be under way.
    if (isReplaced) for (const server of listening) TcpServer.prototype.close.call(server);
    if (delay > 0) {
      connections.leave();
      const ended = new Promise<void>((resolve) => {
        this.endDelay = resolve;
      });
      await Promise.race([closed, pause(delay), ended]);
    }
    if (!isReplaced) for (const server of listening) server.close();
    let finished = true;
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

interface DrainOrder extends Pick<Leaving, "delay">, Partial<Pick<Leaving, "isReplaced">> {
  /** Milliseconds. */
  readonly timeout: number;
}
