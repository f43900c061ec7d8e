import { EngineStoppedError, StatementTimeoutError } from "../engine-errors.ts";
import { EngineWorker, type EngineAnswer } from "./engine-worker.ts";
import type { WorkerSettings } from "./worker-messages.ts";

/** One connection's session. */
export interface BackendSession {
  /** As {@link EngineWorker.exchange}; refused after the session was ended or superseded. */
  exchange(bytes: Uint8Array, settles: boolean): Promise<EngineAnswer>;
  end(): void;
}

/** A statement that was left running ends by its time limit, so a second attempt hardly ever fails. */
const refreshAttempts = 10;

/**
 * The single database session, lent to one connection at a time. A new connection supersedes the previous one (a pool
 * of one opens it only after discarding that one) and gets a fresh session without transaction, prepared statements,
 * settings or temporary tables.
 *
 * A database in a directory that stopped, by itself or because of a statement time-out, restarts for the next
 * connection.
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
   * @throws {EngineStoppedError} when the database has stopped and cannot restart
   */
  async attach(onSuperseded: () => void): Promise<BackendSession> {
    this.#current?.supersede();
    let open = true;
    const session = {
      supersede: () => {
        open = false;
        onSuperseded();
      },
    };
    this.#current = session;
    const worker = await this.#refreshed();
    return {
      exchange: async (bytes, settles) => {
        if (!open) throw new EngineStoppedError("this connection was closed");
        return worker.exchange(bytes, settles);
      },
      end: () => {
        open = false;
        if (this.#current === session) this.#current = undefined;
      },
    };
  }

  /** See {@link EngineWorker.dump}. */
  async dump(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#worker).dump();
  }

  /** See {@link EngineWorker.close}. Ends the current connection. */
  async close(waitTimeout: number): Promise<void> {
    this.#closed = true;
    this.#current?.supersede();
    this.#current = undefined;
    await this.#worker.then((worker) => worker.close(waitTimeout)).catch(() => undefined);
  }

  /** Retries after a time-out of a statement that the previous connection left running. Throws the last one. */
  async #refreshed(): Promise<EngineWorker> {
    for (let attempt = 1; ; attempt += 1) {
      const worker = await this.#running();
      try {
        await worker.refresh();
        return worker;
      } catch (error) {
        if (!(error instanceof StatementTimeoutError) || attempt === refreshAttempts) throw error;
      }
    }
  }

  async #running(): Promise<EngineWorker> {
    const worker = await this.#worker;
    if (worker.stopped === undefined) return worker;
    if (this.#closed) throw new EngineStoppedError("it was closed");
    if (this.#settings.clusterDirectory === undefined) throw worker.stopped;
    const restart = worker.ended.then(() => EngineWorker.start(this.#settings));
    // A failed restart leaves the stopped worker in place, so that the next connection retries.
    this.#worker = restart.catch(() => worker);
    return restart;
  }
}
