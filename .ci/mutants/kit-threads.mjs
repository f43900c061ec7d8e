import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** The code behind the switches of mutants in threads. */
export const threadSwitch = `function __mutant(number: number): boolean {
  const { sallyportMutants: mutants } = globalThis as unknown as {
    readonly sallyportMutants: { readonly on: number; readonly reached: Uint8Array | null };
  };
  if (mutants.reached !== null) mutants.reached[number] = 1;
  return mutants.on === number;
}
`;

/** A check that takes this much longer than without a mutant has failed. */
export const timeLimitOf = ({ duration }) => 1_000 + 20 * duration;

/** Runs checks of the kit on mutants, in a fixed number of threads. */
export class KitThreads {
  #copy;
  #size;
  #idle = [];
  #all = new Set();

  constructor(copy, size) {
    this.#copy = copy;
    this.#size = size;
  }

  /** Works through a list in `jobs` threads; each call of `work` gets an item and a function that runs checks. */
  async each(list, jobs, work) {
    const waiting = [...list];
    const next = async () => {
      while (waiting.length > 0) await work(waiting.shift(), (job, on) => this.run(job, on));
    };
    await Promise.all(Array.from({ length: jobs }, next));
  }

  /**
   * Runs checks on mutants, as far as it is enough. A thread that hangs is ended; its last result then says so. `on` is a mutant
   * that takes effect when the code is loaded: it gets a thread of its own.
   */
  async run(job, on) {
    const thread = on === undefined ? (this.#idle.pop() ?? (await this.start(0))) : await this.start(on);
    if (thread.failure !== undefined) return [{ isFailed: true, isNoticed: false, error: String(thread.failure) }];
    const results = await this.#answer(thread, job);
    if (on !== undefined || results.at(-1)?.isLate === true) await this.#end(thread);
    else this.#idle.push(thread);
    return results;
  }

  async end() {
    await Promise.all([...this.#all].map((thread) => this.#end(thread)));
  }

  /** A thread that has loaded the kit, or could not. */
  async start(on) {
    const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const kit = join(this.#copy, "packages/conformance-kit/dist/index.js");
    const memory = join(this.#copy, "packages/storage-memory/dist/index.js");
    const worker = new Worker(new URL("./kit-thread.mjs", import.meta.url), {
      workerData: { kit, memory, size: this.#size, cells, on },
      resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    });
    const thread = { worker, cells };
    worker.on("message", (message) => thread.answer(message));
    worker.on("error", (error) => thread.answer({ isLate: true, error }));
    this.#all.add(thread);
    thread.loaded = await this.#next(thread, 20_000);
    if (thread.loaded.isLate) thread.failure = thread.loaded.error;
    if (thread.failure !== undefined) await this.#end(thread);
    return thread;
  }

  async #answer(thread, job) {
    const limit = Math.max(...job.runs.map(({ timeLimit }) => timeLimit)) + 1_000;
    thread.worker.postMessage(job);
    const { results, error } = await this.#next(thread, limit);
    if (results !== undefined) return results;
    const check = Atomics.load(thread.cells, 1);
    return [{ check, isFailed: true, isNoticed: false, isLate: true, error }];
  }

  /** The next message of a thread. It is late after a time without another check. */
  async #next(thread, limit) {
    const { cells } = thread;
    let timer;
    const late = new Promise((resolve) => {
      let last = -1;
      let since = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        if (Atomics.load(cells, 0) !== last) since = now;
        last = Atomics.load(cells, 0);
        if (now - since > limit) resolve({ isLate: true, error: "It hangs." });
      }, 100);
    });
    const answer = new Promise((resolve) => {
      thread.answer = resolve;
    });
    const first = await Promise.race([late, answer]);
    clearInterval(timer);
    return first;
  }

  async #end(thread) {
    this.#all.delete(thread);
    await thread.worker.terminate();
  }
}
