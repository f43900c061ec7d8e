import { Worker } from "node:worker_threads";
import type { MacroFaultKind } from "@sallyport/core";
import { type FromWorker, Heartbeat, type ToWorker, type WorkerData } from "../worker/messages.ts";
import { Invocation, type InvocationOptions } from "./invocation.ts";

const TICK = 100;
/** Milliseconds in which a cancelled invocation must stop. */
const CANCEL_TIMEOUT = 250;
const CANCEL_POLL = 10;
/** The worker's view of a lease. */
export interface SlotLease {
  /** Whether it holds a resource that others need, such as a database connection. */
  readonly occupiesResources: boolean;
  /** Whether it waits for the host. Other leases run or are ready to run. */
  readonly isWaiting: boolean;
}

/** A worker and its executions. One runs; the others wait for the host or for the worker. */
export class WorkerSlot {
  readonly heartbeat = new Heartbeat();
  readonly leases = new Set<SlotLease>();
  /** Whether the worker accepts no more invocations. */
  isOver = false;
  /** Time of the last message, on the clock of `performance.now()`. */
  lastMessageAt = 0;
  idleTimer: NodeJS.Timeout | undefined;
  private readonly worker: Worker;
  private readonly invocations = new Map<number, Invocation>();
  private readonly drops = new Map<number, Signal>();
  private readonly ready = new Signal();
  private readonly lost = new Signal();
  private lastId = 0;
  private isReady = false;
  /** The lease that caused the loss of the worker. */
  private causingLease: object | undefined;
  private ticking: NodeJS.Timeout | undefined;
  private seen = { beats: 0, current: 0 };
  private missedTime = 0;

  constructor(engine: WebAssembly.Module, threadPriority: number) {
    this.worker = new Worker(new URL("../worker/worker.js", import.meta.url), {
      workerData: { engine, threadPriority, heartbeat: this.heartbeat.shared } satisfies WorkerData,
      // The sandbox must not see the server's environment.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    this.worker.on("message", (messages: readonly FromWorker[]) => {
      this.lastMessageAt = performance.now();
      for (const message of messages) this.receive(message);
    });
    // The `exit` event follows.
    this.worker.on("error", () => {});
    this.worker.on("exit", () => this.lose("its worker has ended", this.heartbeat.current));
  }

  /** Number of executions that do not wait for the host. */
  get running(): number {
    let running = 0;
    for (const { isWaiting } of this.leases) if (!isWaiting) running += 1;
    return running;
  }

  get hasResourceHolder(): boolean {
    return [...this.leases].some(({ occupiesResources }) => occupiesResources);
  }

  /** The fault of a lease that lost its worker: `ended` if it was the cause, `evicted` if another lease was. */
  faultOf(lease: object): MacroFaultKind {
    return this.causingLease === undefined || this.causingLease === lease ? "ended" : "evicted";
  }

  /** The caller must await `ended` and then call `forget`. */
  begin(options: InvocationOptions): Invocation {
    const invocation = new Invocation((this.lastId += 1), this, options);
    this.invocations.set(invocation.id, invocation);
    this.ticking ??= setInterval(() => this.tick(), TICK);
    invocation.begin();
    if (this.isReady) invocation.startClock();
    return invocation;
  }

  forget({ id }: Invocation): void {
    this.invocations.delete(id);
  }

  /** Cancels invocations and waits until they have stopped. Terminates the worker after a timeout. */
  async cancel(invocations: readonly Invocation[]): Promise<void> {
    if (this.isOver) return;
    const ids = invocations.map(({ id }) => id);
    for (const invocation of invocations) invocation.lose("ended", "its lease was released");
    const drop = (this.lastId += 1);
    const dropped = new Signal();
    this.drops.set(drop, dropped);
    this.post({ type: "drop", id: drop, ids });
    // A worker that is still starting runs nothing.
    await Promise.race([this.ready.promise, this.lost.promise]);
    // Read once: the worker can switch at any moment.
    const running = (): number | undefined => [this.heartbeat.current].find((id) => ids.includes(id));
    const stop = (): void => {
      const id = running();
      if (id !== undefined) this.heartbeat.cancel(id);
    };
    stop();
    const polling = setInterval(stop, CANCEL_POLL);
    const timer = setTimeout(() => {
      const id = running();
      if (id !== undefined) this.kill(id);
      // They have not begun.
      else dropped.give();
    }, CANCEL_TIMEOUT);
    await Promise.race([this.lost.promise, dropped.promise]);
    clearInterval(polling);
    clearTimeout(timer);
    this.drops.delete(drop);
  }

  /** Terminates the worker and resolves when it has exited. Its invocations fail then. */
  async end(): Promise<void> {
    clearTimeout(this.idleTimer);
    if (this.leases.size === 0) this.lose("its worker was terminated", null);
    await this.worker.terminate();
  }

  /** Terminates the worker because of an invocation. */
  kill(id: number): void {
    void this.worker.terminate();
    this.lose("its worker was terminated", id);
  }

  post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromWorker): void {
    if (message.type === "ready") {
      this.isReady = true;
      this.ready.give();
      for (const invocation of this.invocations.values()) invocation.startClock();
    } else if (message.type === "dropped") this.drops.get(message.id)?.give();
    else this.invocations.get(message.id)?.receive(message);
  }

  /** Terminates a worker without a heartbeat: some engine functions never call the interrupt handler. */
  private tick(): void {
    if (this.invocations.size === 0) this.stopTicking();
    const { beats, current } = this.heartbeat;
    const invocations = [...this.invocations.values()].filter((each) => each.isRunning);
    // A worker that runs none of them may be stripping types.
    const running =
      invocations.find(({ id }) => id === current) ?? invocations.find((each) => each.isStripping) ?? invocations[0];
    if (!this.isReady || running === undefined || beats !== this.seen.beats || current !== this.seen.current) {
      this.seen = { beats, current };
      this.missedTime = 0;
      return;
    }
    this.missedTime += TICK;
    if (this.missedTime < running.maxSilence) return;
    running.lose("cpu", "did not respond in time");
    this.kill(running.id);
  }

  /** `cause`: the invocation that caused the loss, if any. */
  private lose(message: string, cause: number | null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopTicking();
    this.causingLease = this.invocations.get(cause ?? 0)?.lease;
    for (const invocation of this.invocations.values()) invocation.lose(this.faultOf(invocation.lease), message);
    this.lost.give();
  }

  private stopTicking(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
  }
}

/** A promise with an external resolver. */
class Signal {
  readonly promise: Promise<void>;
  give: () => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.give = resolve;
    });
  }
}
