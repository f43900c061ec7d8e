import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { BoundedQueue } from "@sallyport/core";
import type { BlockReply, BlockRequest } from "./block-thread-main.ts";

export interface BlockThreadsOptions {
  /** Maximum number of threads. Default: CPUs minus one, from 1 to 4. They start on demand. */
  readonly threads?: number;
  /** Maximum number of waiting requests. Default: 100. Further requests are refused with 706. */
  readonly queueLimit?: number;
}

/** Thread pool that opens cipher blocks. A crashed thread is replaced at the next request. */
export class BlockThreads {
  readonly concurrency: number;
  readonly #queue: BoundedQueue;
  readonly #idle: BlockThread[] = [];
  readonly #all = new Set<BlockThread>();
  #closed = false;

  constructor({ threads, queueLimit = 100 }: BlockThreadsOptions = {}) {
    this.concurrency = threads ?? Math.max(1, Math.min(availableParallelism() - 1, 4));
    this.#queue = new BoundedQueue({
      concurrency: this.concurrency,
      queueLimit,
      detail: "Too many encrypted log-ins wait for decryption.",
    });
  }

  open(request: BlockRequest): Promise<Opening> {
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

  /** Terminates the threads. Pending and later requests fail. */
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

type Opening = Exclude<BlockReply, { readonly failed: string }>;

interface Waiting {
  resolve(opening: Opening): void;
  reject(error: Error): void;
}

/** A thread that opens cipher blocks, one request at a time. It keeps the process alive only while it works. */
class BlockThread {
  readonly #thread = new Worker(new URL("./block-thread-main.js", import.meta.url));
  #waiting: Waiting | undefined;
  #ended: Error | undefined;

  constructor() {
    this.#thread.on("message", (reply: BlockReply) => this.#settle(reply));
    this.#thread.on("error", (error) => this.#end(error));
    this.#thread.on("exit", (code) => this.#end(new Error(`the thread for RSA ended (${code})`)));
    this.#thread.unref();
  }

  get usable(): boolean {
    return this.#ended === undefined;
  }

  open(request: BlockRequest): Promise<Opening> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#thread.ref();
      this.#thread.postMessage(request, []);
    });
  }

  async close(): Promise<void> {
    this.#end(new Error("the thread for RSA was closed"));
    await this.#thread.terminate();
  }

  #settle(reply: BlockReply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#thread.unref();
    if ("failed" in reply) waiting?.reject(new Error(`RSA failed: ${reply.failed}`));
    else waiting?.resolve(reply);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }
}
