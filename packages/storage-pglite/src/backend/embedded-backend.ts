import { EngineStoppedError, StatementTimeoutError } from "../engine-errors.ts";
import { EngineWorker, type EngineAnswer } from "./engine-worker.ts";
import type { WorkerSettings } from "./worker-messages.ts";

/** One connection's hold of the database. */
export interface BackendSession {
  /** As {@link EngineWorker.exchange}; refused once the session was ended or superseded. */
  exchange(bytes: Uint8Array, settles: boolean): Promise<EngineAnswer>;
  end(): void;
}

/**
 * The one database session there is, lent to one connection after another. A new connection supersedes the one before
 * (a pool of one opens it only when it gave that one up) and finds a fresh session: no transaction, no prepared
 * statements, no settings, no temporary tables of its predecessor.
 *
 * A database kept in a directory that stopped, by itself or for a statement that did not end, is started again for the
 * next connection.
 */
export class EmbeddedBackend {
  readonly #settings: WorkerSettings;
  #worker: Promise<EngineWorker>;
  #current: { supersede(): void } | undefined;
  #closed = false;

  private constructor(settings: WorkerSettings, worker: EngineWorker) {
    this.#settings = settings;
    this.#worker = Promise.resolve(worker);
  }

  /** @throws {EngineStoppedError} when the database cannot start */
  static async start(settings: WorkerSettings): Promise<EmbeddedBackend> {
    return new EmbeddedBackend({ ...settings, template: undefined }, await EngineWorker.start(settings));
  }

  /**
   * @param onSuperseded called when another connection takes the session
   * @throws {EngineStoppedError} when the database stopped and cannot be started again
   */
  async attach(onSuperseded: () => void): Promise<BackendSession> {
    this.#current?.supersede();
    let open = true;
    const hold = {
      supersede: () => {
        open = false;
        onSuperseded();
      },
    };
    this.#current = hold;
    const worker = await this.#refreshed();
    return {
      exchange: async (bytes, settles) => {
        if (!open) throw new EngineStoppedError("this connection was closed");
        return worker.exchange(bytes, settles);
      },
      end: () => {
        open = false;
        if (this.#current === hold) this.#current = undefined;
      },
    };
  }

  /** See {@link EngineWorker.dump}. */
  async dump(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#worker).dump();
  }

  /** See {@link EngineWorker.close}. The connection that is still there is ended. */
  async close(waitTimeout: number): Promise<void> {
    this.#closed = true;
    this.#current?.supersede();
    this.#current = undefined;
    await this.#worker.then((worker) => worker.close(waitTimeout)).catch(() => undefined);
  }

  /** What the connection before left behind may have to run into its time-out first. */
  async #refreshed(): Promise<EngineWorker> {
    for (;;) {
      const worker = await this.#running();
      try {
        await worker.refresh();
        return worker;
      } catch (error) {
        if (!(error instanceof StatementTimeoutError)) throw error;
      }
    }
  }

  async #running(): Promise<EngineWorker> {
    const worker = await this.#worker;
    if (worker.stopped === undefined) return worker;
    if (this.#closed) throw new EngineStoppedError("it was closed");
    if (this.#settings.clusterDirectory === undefined) throw worker.stopped;
    const restart = worker.ended.then(() => EngineWorker.start(this.#settings));
    // A start that fails leaves the stopped one in its place, so that the next connection tries again.
    this.#worker = restart.catch(() => worker);
    return restart;
  }
}
