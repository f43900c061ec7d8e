import { Worker } from "node:worker_threads";
import { beats, type WatchedCells } from "./watched-cells.ts";

interface WatchOptions {
  /** Names of all checks that may run. */
  readonly names: readonly string[];
  /** Number of checks that run concurrently. */
  readonly concurrency: number;
  /** Milliseconds of a blocked event loop until a report. */
  readonly silence: number;
}

/**
 * Reports a blocked event loop and the running checks on stderr. A separate thread is necessary: an adapter that works
 * only in microtasks blocks timers, including the time limit of checks, and asynchronous output.
 */
class EventLoopWatch {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #thread: Worker;
  readonly #beating: NodeJS.Timeout;

  constructor({ names, concurrency, silence }: WatchOptions) {
    this.#cells = new Int32Array(new SharedArrayBuffer((1 + concurrency) * Int32Array.BYTES_PER_ELEMENT));
    this.#numbers = new Map(names.map((name, index) => [name, index + 1]));
    const period = silence / 30;
    const workerData: WatchedCells = { cells: this.#cells, names, silence, period };
    // Without the flags of the process: their preloaded modules do not belong in this thread.
    this.#thread = new Worker(new URL("./event-loop-watch-main.js", import.meta.url), { workerData, execArgv: [] });
    // A run works without the watch, too.
    this.#thread.on("error", () => {});
    this.#thread.unref();
    this.#beating = setInterval(() => this.#beat(), period).unref();
  }

  begin(name: string): void {
    this.#replace(0, this.#numbers.get(name) ?? 0);
  }

  end(name: string): void {
    this.#replace(this.#numbers.get(name) ?? 0, 0);
  }

  async stop(): Promise<void> {
    clearInterval(this.#beating);
    await this.#thread.terminate();
  }

  #beat(): void {
    Atomics.add(this.#cells, beats, 1);
    Atomics.notify(this.#cells, beats);
  }

  #replace(before: number, after: number): void {
    const cell = this.#cells.indexOf(before, beats + 1);
    if (cell !== -1) Atomics.store(this.#cells, cell, after);
  }
}

/** Runs work with an event loop watch and stops the watch afterwards. */
export async function withEventLoopWatch<T>(
  options: WatchOptions,
  work: (watch: EventLoopWatch) => Promise<T>,
): Promise<T> {
  const watch = new EventLoopWatch(options);
  try {
    return await work(watch);
  } finally {
    await watch.stop();
  }
}
