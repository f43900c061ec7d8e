import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ServiceError } from "@sallyport/storage";
import { LEASES_PER_WORKER, READY_PER_WORKER } from "../worker/messages.ts";
import { type SlotLease, WorkerSlot } from "./worker-slot.ts";

/** Milliseconds after which an idle worker ends. */
const IDLE = 30_000;

/** Requests have priority, but a busy machine must not starve macros. */
const DEFAULT_THREAD_PRIORITY = 10;

export interface QuickJsMacroRuntimeOptions {
  /** Maximum number of threads, so of parallel executions. Threads start on demand and end after 30 idle seconds. */
  readonly threads: number;
  /** Maximum number of executions in the wait queue. */
  readonly queue: number;
  /** Nice value of the threads on Linux, 0 to 19. Default: 10. */
  readonly threadPriority?: number | undefined;
}

interface Waiting {
  readonly lease: SlotLease;
  readonly admit: (slot: WorkerSlot) => void;
  readonly refuse: (error: ServiceError) => void;
}

/** Starts workers on demand and leases their slots, first come first served. */
export class WorkerPool {
  private slots: WorkerSlot[] = [];
  private readonly queue = new Set<Waiting>();
  private compiling: Promise<WebAssembly.Module> | undefined;
  private engine: WebAssembly.Module | undefined;
  isOpen = true;

  constructor(private readonly options: QuickJsMacroRuntimeOptions) {}

  get load(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.slots.reduce((sum, { leases }) => sum + leases.size, 0), waiting: this.queue.size };
  }

  /** Throws 706 if no slot becomes free within `wait` milliseconds, or if the wait queue is full. */
  async acquire(wait: number, lease: SlotLease): Promise<WorkerSlot> {
    this.engine ??= await (this.compiling ??= compileEngine());
    if (!this.isOpen) throw stopping();
    const slot = this.queue.size === 0 ? this.take(lease) : undefined;
    if (slot !== undefined) return slot;
    if (this.queue.size >= this.options.queue)
      throw new ServiceError(706, { detail: "Too many macros wait for a thread.", retryAfter: 1 });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.delete(waiting);
        reject(new ServiceError(706, { detail: "No thread became available in time.", retryAfter: 1 }));
        // A lease behind this one may fit into a slot that this one could not use.
        this.admit();
      }, wait);
      const settle =
        <Value>(how: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          this.queue.delete(waiting);
          how(value);
        };
      const waiting: Waiting = { lease, admit: settle(resolve), refuse: settle(reject) };
      this.queue.add(waiting);
    });
  }

  release(slot: WorkerSlot, lease: SlotLease): void {
    slot.leases.delete(lease);
    if (!slot.isOver && slot.leases.size === 0) slot.idleTimer = setTimeout(() => void slot.end(), IDLE).unref();
    this.admit();
  }

  /** Serves the wait queue. Call it when a slot may be free. */
  admit(): void {
    for (const next of this.queue) {
      const slot = this.take(next.lease);
      if (slot === undefined) return;
      next.admit(slot);
    }
  }

  async close(): Promise<void> {
    this.isOpen = false;
    for (const waiting of this.queue) waiting.refuse(stopping());
    await Promise.all(this.slots.map((slot) => slot.end()));
  }

  private take(lease: SlotLease): WorkerSlot | undefined {
    this.slots = this.slots.filter((slot) => !slot.isOver);
    const slot = this.choose(lease.occupiesResources);
    clearTimeout(slot?.idleTimer);
    slot?.leases.add(lease);
    return slot;
  }

  /**
   * The first idle worker, so that the others can end; else a new one; else the least busy one. A lease that holds a
   * resource (`occupiesResources`) never waits behind another one.
   */
  private choose(occupiesResources: boolean): WorkerSlot | undefined {
    const available = this.slots.filter(({ leases }) => leases.size < LEASES_PER_WORKER);
    const idle = available.find(({ running }) => running === 0);
    if (idle !== undefined) return idle;
    if (this.slots.length < this.options.threads) {
      const slot = new WorkerSlot(
        this.engine as WebAssembly.Module,
        this.options.threadPriority ?? DEFAULT_THREAD_PRIORITY,
      );
      this.slots.push(slot);
      return slot;
    }
    if (occupiesResources) return undefined;
    return available
      .filter(({ running, hasResourceHolder }) => running < READY_PER_WORKER && !hasResourceHolder)
      .toSorted((one, other) => one.running - other.running || other.lastMessageAt - one.lastMessageAt)[0];
  }
}

async function compileEngine(): Promise<WebAssembly.Module> {
  const path = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  return WebAssembly.compile(await readFile(path));
}

function stopping(): ServiceError {
  return new ServiceError(706, { detail: "The server is stopping." });
}
