import { errorEntry, ServiceError } from "@sallyport/storage";
import { type Database, type KeyRings } from "@sallyport/core";
import type { Application, DatabaseDirectory, DatabaseEntry, LoadGauge, Monitoring, Readiness } from "@sallyport/http";
import type { Configuration } from "../configuration/index.ts";
import type { WorkerLink } from "../processes/worker-link.ts";
import type { Metrics } from "./metrics.ts";

/** Health and metrics for operators. */
export class ServerMonitoring implements Monitoring {
  readonly metricsAccess: Configuration["metrics"]["access"];
  private load: LoadGauge | undefined;

  constructor(
    private readonly probe: ReadinessProbe,
    private readonly measured: Metrics,
    { metrics }: Pick<Configuration, "metrics">,
    private readonly worker: WorkerLink | null = null,
  ) {
    this.metricsAccess = metrics.access;
    worker?.onCollect(() => measured.values());
  }

  watch(application: Application): void {
    this.load = application.load;
    this.measured.watchLoad(application);
  }

  async readiness(): Promise<Readiness> {
    const readiness = await this.probe.read();
    return this.load?.isReady === false ? { ...readiness, ready: false } : readiness;
  }

  /** In a worker: of all workers together. */
  async metrics(): Promise<{ contentType: string; text: string }> {
    if (this.worker === null) return this.measured.text();
    return { contentType: this.measured.contentType, text: await this.worker.summedMetrics() };
  }
}

/** Milliseconds that a result is cached. */
const cacheTime = 1_000;
/** Milliseconds without a response before a database counts as down. */
const defaultTimeout = 2_000;

/**
 * Checks every database that does not rest. The server is ready if at least one database is. An unavailable database affects only its own
 * routes.
 */
export class ReadinessProbe {
  private last: { readonly at: number; readonly result: Promise<Readiness> } | undefined;

  constructor(
    private readonly databases: DatabaseDirectory,
    private readonly keyRings: Pick<KeyRings, "isSealedByOtherKey">,
    private readonly timeout = defaultTimeout,
  ) {}

  /** The result is at most one second old. Concurrent calls share it. */
  read(): Promise<Readiness> {
    const now = performance.now();
    if (this.last === undefined || now - this.last.at > cacheTime) this.last = { at: now, result: this.ask() };
    return this.last.result;
  }

  private async ask(): Promise<Readiness> {
    const states = await Promise.all(
      Array.from(
        this.databases,
        async ([alias, database]) => [alias === "" ? "(empty)" : alias, await this.stateOf(database)] as const,
      ),
    );
    return { ready: states.some(([, state]) => state === "ok"), databases: Object.fromEntries(states) };
  }

  private async stateOf(database: DatabaseEntry): Promise<string> {
    if (database !== null && this.databases.isResting?.(database) === true) return "resting";
    return database === null ? errorEntry(705).name : untilLate(this.askOne(database), this.timeout);
  }

  private async askOne(database: Database): Promise<string> {
    await database.storage.health();
    return (await this.keyRings.isSealedByOtherKey(database)) ? "keys encrypted with another master key" : "ok";
  }
}

/** The name of the error, and what exactly is wrong with a database that is set up. */
function stateOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return errorEntry(799).name;
  const { name } = errorEntry(error.code);
  return error.code === 705 || error.detail === undefined ? name : `${name}: ${error.detail}`;
}

async function untilLate(asking: Promise<string>, timeout: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("timed out"), timeout);
  });
  try {
    return await Promise.race([asking, late]);
  } catch (error) {
    return stateOf(error);
  } finally {
    clearTimeout(timer);
  }
}
