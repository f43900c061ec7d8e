import { Worker } from "node:worker_threads";
import type { MacroFaultKind } from "@sallyport/core";
import { type FromWorker, Heartbeat, type ToWorker, type WorkerData } from "../worker/messages.ts";
import { Invocation, type InvocationOptions } from "./invocation.ts";

const TICK = 100;
/** Milliseconds in which a cancelled invocation has to stop. */
const CANCEL_TIMEOUT = 250;
const CANCEL_POLL = 10;
/** A lease as its worker sees it. */
export interface Place {
  /** Whether it holds something others need. */
  readonly isHolding: boolean;
  /** Whether it waits for the host. The others run, or may at any time. */
  readonly isWaiting: boolean;
}

/** A worker and the executions in it. One of them runs; the others wait for the host, or for their turn. */
export class WorkerSlot {
  readonly heartbeat = new Heartbeat();
  readonly leases = new Set<Place>();
  /** Whether nothing can begin here any more. */
  isOver = false;
  /** When the worker was heard last. */
  heardAt = 0;
  idleTimer: NodeJS.Timeout | undefined;
  private readonly worker: Worker;
  private readonly invocations = new Map<number, Invocation>();
  private readonly drops = new Map<number, Signal>();
  private readonly ready = new Signal();
  private readonly lost = new Signal();
  private lastId = 0;
  private isReady = false;
  /** The lease that cost the worker. */
  private culprit: object | undefined;
  private ticking: NodeJS.Timeout | undefined;
  private seen = { beats: 0, current: 0 };
  private silence = 0;

  constructor(engine: WebAssembly.Module, threadPriority: number) {
    this.worker = new Worker(new URL("../worker/worker.js", import.meta.url), {
      workerData: { engine, threadPriority, heartbeat: this.heartbeat.shared } satisfies WorkerData,
      // Nothing of the server's surroundings.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    this.worker.on("message", (messages: readonly FromWorker[]) => {
      this.heardAt = performance.now();
      for (const message of messages) this.hear(message);
    });
    // It exits afterwards.
    this.worker.on("error", () => {});
    this.worker.on("exit", () => this.lose("its worker is gone", this.heartbeat.current));
  }

  /** How many executions do not wait for the host. */
  get running(): number {
    let running = 0;
    for (const { isWaiting } of this.leases) if (!isWaiting) running += 1;
    return running;
  }

  get isHeld(): boolean {
    return [...this.leases].some(({ isHolding }) => isHolding);
  }

  /** How a lease fails whose worker is lost: on its own account, or on that of another. */
  faultOf(lease: object): MacroFaultKind {
    return this.culprit === undefined || this.culprit === lease ? "ended" : "displaced";
  }

  /** The caller waits for the end of the invocation, and forgets it then. */
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

  /** Cancels invocations, and waits until they are over. Ends a worker that takes too long for it. */
  async cancel(invocations: readonly Invocation[]): Promise<void> {
    if (this.isOver) return;
    const ids = invocations.map(({ id }) => id);
    for (const invocation of invocations) invocation.lose("ended", "its lease was released");
    const drop = (this.lastId += 1);
    const dropped = new Signal();
    this.drops.set(drop, dropped);
    this.post({ type: "drop", id: drop, ids });
    // A worker that is still starting runs nothing.
    await Promise.race([this.ready.given, this.lost.given]);
    // Read once: a moment later the worker may run something else.
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
      // They have not begun: others are before them.
      else dropped.give();
    }, CANCEL_TIMEOUT);
    await Promise.race([this.lost.given, dropped.given]);
    clearInterval(polling);
    clearTimeout(timer);
    this.drops.delete(drop);
  }

  /** Ends the worker, and resolves when it is gone. What runs in it is told then. */
  async end(): Promise<void> {
    clearTimeout(this.idleTimer);
    if (this.leases.size === 0) this.lose("its worker was ended", null);
    await this.worker.terminate();
  }

  /** Ends the worker on account of an invocation. */
  kill(id: number): void {
    void this.worker.terminate();
    this.lose("its worker was ended", id);
  }

  post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private hear(message: FromWorker): void {
    if (message.type === "ready") {
      this.isReady = true;
      this.ready.give();
      for (const invocation of this.invocations.values()) invocation.startClock();
    } else if (message.type === "dropped") this.drops.get(message.id)?.give();
    else this.invocations.get(message.id)?.hear(message);
  }

  /** Ends a worker without a heartbeat: some functions of the engine never ask whether to go on. */
  private tick(): void {
    if (this.invocations.size === 0) this.stopTicking();
    const { beats, current } = this.heartbeat;
    const invocations = [...this.invocations.values()].filter((each) => each.isRunning);
    // A worker that runs none of them may be stripping types for one.
    const running =
      invocations.find(({ id }) => id === current) ?? invocations.find((each) => each.isStripping) ?? invocations[0];
    if (!this.isReady || running === undefined || beats !== this.seen.beats || current !== this.seen.current) {
      this.seen = { beats, current };
      this.silence = 0;
      return;
    }
    this.silence += TICK;
    if (this.silence < running.maxSilence) return;
    running.lose("cpu", "did not come back in time");
    this.kill(running.id);
  }

  /** `culprit`: the invocation that cost the worker, if one did. */
  private lose(message: string, culprit: number | null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopTicking();
    this.culprit = this.invocations.get(culprit ?? 0)?.lease;
    for (const invocation of this.invocations.values()) invocation.lose(this.faultOf(invocation.lease), message);
    this.lost.give();
  }

  private stopTicking(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
  }
}

/** Something that happens once. */
class Signal {
  readonly given: Promise<void>;
  give: () => void = () => {};

  constructor() {
    this.given = new Promise((resolve) => {
      this.give = resolve;
    });
  }
}
