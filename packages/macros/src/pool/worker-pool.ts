import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ServiceError } from "@sallyport/core";
import { LEASES_PER_WORKER, READY_PER_WORKER } from "../worker/messages.ts";
import { type Place, WorkerSlot } from "./worker-slot.ts";

/** Milliseconds after which a worker without leases is ended. */
const IDLE = 30_000;

/** Requests come first, and yet a machine that is always busy starves no macro. */
const DEFAULT_THREAD_PRIORITY = 10;

export interface QuickJsMacroRuntimeOptions {
  /** Threads at most, and so executions that run at a time. They start on demand, and end after half a minute without work. */
  readonly threads: number;
  /** How many executions may wait for a thread. */
  readonly queue: number;
  /** Niceness of the threads on Linux, 0 to 19; 10 unless given. */
  readonly threadPriority?: number;
}

interface Waiting {
  readonly lease: Place;
  readonly admit: (slot: WorkerSlot) => void;
  readonly refuse: (error: ServiceError) => void;
}

/** Starts workers on demand and leases their slots, in the order of the requests. */
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

  /** 706 when no slot becomes free within `wait` milliseconds, or too many wait. */
  async acquire(wait: number, lease: Place): Promise<WorkerSlot> {
    this.engine ??= await (this.compiling ??= compileEngine());
    if (!this.isOpen) throw stopping();
    const slot = this.queue.size === 0 ? this.take(lease) : undefined;
    if (slot !== undefined) return slot;
    if (this.queue.size >= this.options.queue)
      throw new ServiceError(706, { detail: "too many macros wait", retryAfter: 1 });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.delete(waiting);
        reject(new ServiceError(706, { detail: "no macro ended in time", retryAfter: 1 }));
        // There may be a slot for those behind it that was none for this one.
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

  giveBack(slot: WorkerSlot, lease: Place): void {
    slot.leases.delete(lease);
    if (!slot.isOver && slot.leases.size === 0) slot.idleTimer = setTimeout(() => void slot.end(), IDLE).unref();
    this.admit();
  }

  /** Call it when there may be a free slot. */
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

  private take(lease: Place): WorkerSlot | undefined {
    this.slots = this.slots.filter((slot) => !slot.isOver);
    const slot = this.choose(lease.isHolding);
    clearTimeout(slot?.idleTimer);
    slot?.leases.add(lease);
    return slot;
  }

  /**
   * The first worker in which nothing runs, so that the others may end; else a new one; else one in which few run.
   * An execution that holds something others need does not wait behind another one.
   */
  private choose(isHolding: boolean): WorkerSlot | undefined {
    const roomy = this.slots.filter(({ leases }) => leases.size < LEASES_PER_WORKER);
    const idle = roomy.find(({ running }) => running === 0);
    if (idle !== undefined) return idle;
    if (this.slots.length < this.options.threads) {
      const slot = new WorkerSlot(
        this.engine as WebAssembly.Module,
        this.options.threadPriority ?? DEFAULT_THREAD_PRIORITY,
      );
      this.slots.push(slot);
      return slot;
    }
    if (isHolding) return undefined;
    return roomy
      .filter(({ running, isHeld }) => running < READY_PER_WORKER && !isHeld)
      .toSorted((one, other) => one.running - other.running || other.heardAt - one.heardAt)[0];
  }
}

async function compileEngine(): Promise<WebAssembly.Module> {
  const path = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  return WebAssembly.compile(await readFile(path));
}

function stopping(): ServiceError {
  return new ServiceError(706, { detail: "the server stops" });
}
