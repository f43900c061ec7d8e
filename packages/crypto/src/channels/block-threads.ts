import { availableParallelism } from "node:os";
import { BoundedQueue } from "../bounded-queue.ts";
import type { BlockRequest } from "./block-messages.ts";
import { BlockThread } from "./block-thread.ts";
import type { OpenedBlocks } from "./open-blocks.ts";

export interface BlockThreadsOptions {
  /** Threads at most; unless given one less than there are CPUs, one at least and four at most. They start when needed. */
  readonly threads?: number;
  /** Requests that may wait for a thread; 100 unless given. Further ones are refused with 706. */
  readonly queueLimit?: number;
}

/** The threads that open cipher blocks. One that ended is replaced by the next request. */
export class BlockThreads {
  readonly #queue: BoundedQueue;
  readonly #idle: BlockThread[] = [];
  readonly #all = new Set<BlockThread>();
  #closed = false;

  constructor({ threads, queueLimit = 100 }: BlockThreadsOptions = {}) {
    const concurrency = threads ?? Math.max(1, Math.min(availableParallelism() - 1, 4));
    this.#queue = new BoundedQueue({
      concurrency,
      queueLimit,
      detail: "Too many encrypted log-ins wait to be opened.",
    });
  }

  open(request: BlockRequest): Promise<OpenedBlocks | undefined> {
    return this.#queue.run(async () => {
      const thread = this.#take();
      try {
        return await thread.open(request);
      } finally {
        if (thread.usable) this.#idle.push(thread);
        else this.#all.delete(thread);
      }
    });
  }

  /** Ends the threads; what they work on fails, and so does all that comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((thread) => thread.close()));
  }

  #take(): BlockThread {
    if (this.#closed) throw new Error("the threads for RSA were closed");
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop()) {
      if (thread.usable) return thread;
      this.#all.delete(thread);
    }
    const started = new BlockThread();
    this.#all.add(started);
    return started;
  }
}
