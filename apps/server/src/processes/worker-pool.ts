import type { Worker } from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { StartError } from "../composition/start-error.ts";
import { SummedMetrics } from "./summed-metrics.ts";
import type { Leaving, WorkerMessage } from "./worker-link.ts";
import { soundAge, WorkerProcess } from "./worker-process.ts";

/** Number of workers in a row that can end without having been sound. Then the server gives up, unless another is sound. */
const maxFailures = 5;

/** Milliseconds until a worker that was not sound is replaced. They double with each further one. */
const firstPause = 500;
const maxPause = 30_000;

/** Milliseconds beyond its own time limits until a worker that does not leave is killed. */
const killDelay = 10_000;

interface PoolParts {
  readonly count: number;
  readonly logger: Logger;
  /** Starts the process of a worker. */
  readonly fork: (number: number) => Worker;
  /** Milliseconds. */
  readonly timeouts: { readonly keepAlive: number; readonly drain: number };
  /** Called if workers cannot be kept in service. */
  readonly giveUp: (reason: StartError) => void;
}

/** A place in the pool. */
interface Slot {
  readonly number: number;
  /** The worker in service, or on its way there. */
  worker?: WorkerProcess | undefined;
  /** Whether a reload starts the next worker. */
  isChanging: boolean;
}

/** Keeps the workers of a server in service: starts, replaces and stops them. */
export class WorkerPool {
  private readonly slots: readonly Slot[];
  /** All processes, also those that leave. */
  private readonly processes = new Set<WorkerProcess>();
  private readonly metrics = new SummedMetrics<WorkerProcess>();
  /** The round of reports in progress. */
  private summing: Promise<void> | undefined;
  private reloading: Promise<void> | undefined;
  private reloadsAgain = false;
  /** Workers in a row that ended without having been sound. */
  private failures = 0;
  private isStopping = false;

  constructor(private readonly parts: PoolParts) {
    this.slots = Array.from({ length: parts.count }, (_, index) => ({ number: index + 1, isChanging: false }));
  }

  /**
   * Starts the first worker, which prepares the databases, then the others. Returns the URL of the server. Throws if one
   * ends before it is ready.
   */
  async start(): Promise<string> {
    const [first, ...others] = this.slots as readonly [Slot, ...Slot[]];
    const url = await this.startIn(first);
    // The shutdown ends this process.
    if (this.isStopping) return new Promise(() => {});
    await Promise.all(others.map((slot) => this.startIn(slot)));
    for (const slot of this.slots) this.keepIn(slot);
    return url;
  }

  /**
   * Replaces all workers, one after the other: each serves until the next one is ready. Ends at the first that does not
   * become ready. A call during a reload starts another one after it.
   */
  async reload(): Promise<void> {
    this.reloadsAgain = this.reloading !== undefined;
    this.reloading ??= this.replaceAll().finally(() => {
      this.reloading = undefined;
    });
    await this.reloading;
    if (this.reloadsAgain) await this.reload();
  }

  /** Lets all workers leave after `delay` milliseconds. Resolves when they have ended. Throws if one failed. */
  async stop(delay: number): Promise<void> {
    this.isStopping = true;
    const leaving = { delay, isReplaced: false };
    const outcomes = await Promise.all(Array.from(this.processes, (each) => this.leave(each, leaving)));
    if (outcomes.includes(false)) throw new Error("A worker did not stop.");
  }

  /** Kills all workers. */
  async kill(): Promise<void> {
    this.isStopping = true;
    await Promise.all(Array.from(this.processes, (each) => each.kill()));
  }

  private begin({ number }: Slot): WorkerProcess {
    const worker = new WorkerProcess(number, this.parts.fork(number), (message) => this.onMessage(worker, message));
    this.processes.add(worker);
    void worker.ended.then(() => {
      this.processes.delete(worker);
      return this.metrics.ended(worker);
    });
    return worker;
  }

  private async startIn(slot: Slot): Promise<string> {
    slot.worker = this.begin(slot);
    const url = await slot.worker.ready;
    if (url !== null) {
      this.parts.logger.info(slot.worker.facts, "Worker started");
      return url;
    }
    // The shutdown ends this process.
    if (this.isStopping) return new Promise(() => {});
    throw new StartError(`Worker ${slot.number} ended before it was ready (${await slot.worker.ended}).`);
  }

  /** Replaces the worker of a slot when it ends unexpectedly. */
  private keepIn(slot: Slot): void {
    const { worker } = slot;
    void worker?.ended.then((end) => {
      if (this.isStopping || slot.worker !== worker) return undefined;
      slot.worker = undefined;
      this.failures = worker.isSound ? 0 : this.failures + 1;
      this.parts.logger.error({ ...worker.facts, end }, "Worker ended");
      return slot.isChanging ? undefined : this.replaceIn(slot);
    });
  }

  private async replaceIn(slot: Slot): Promise<void> {
    if (this.failures >= maxFailures && !this.slots.some(({ worker }) => worker?.isSound)) {
      const within = `during their start or in the first ${soundAge / 1_000} seconds after it`;
      this.parts.giveUp(new StartError(`${this.failures} workers in a row ended ${within}. See the log.`));
      return;
    }
    if (this.failures > 0) await pause(Math.min(maxPause, firstPause * 2 ** (this.failures - 1)));
    // A reload can have filled the place.
    if (this.isStopping || slot.isChanging || slot.worker !== undefined) return;
    const next = this.begin(slot);
    slot.worker = next;
    this.keepIn(slot);
    if ((await next.ready) !== null) this.parts.logger.info(next.facts, "Worker started");
  }

  private async replaceAll(): Promise<void> {
    for (const slot of this.slots) if (this.isStopping || !(await this.changeIn(slot))) return;
    this.parts.logger.info("Reloaded");
  }

  /** Returns whether the next worker is in service, and the former one has left. */
  private async changeIn(slot: Slot): Promise<boolean> {
    const { logger, timeouts } = this.parts;
    slot.isChanging = true;
    const next = this.begin(slot);
    const isReady = (await next.ready) !== null;
    slot.isChanging = false;
    if (this.isStopping) return false;
    if (!isReady) {
      logger.error({ ...next.facts, end: await next.ended }, "Reload failed; the other workers stay in service");
      if (slot.worker === undefined) await this.replaceIn(slot);
      return false;
    }
    const former = slot.worker;
    slot.worker = next;
    this.keepIn(slot);
    logger.info(next.facts, "Worker replaced");
    // A client can send a request on an idle connection until it ends by itself.
    if (former !== undefined) await this.leave(former, { delay: timeouts.keepAlive, isReplaced: true });
    return true;
  }

  private leave(worker: WorkerProcess, leaving: Leaving): Promise<boolean> {
    return worker.leave(leaving, leaving.delay + this.parts.timeouts.drain + killDelay);
  }

  private onMessage(from: WorkerProcess, message: WorkerMessage): void {
    if (message.kind === "collected") this.metrics.reported(from, message.values);
    if (message.kind === "sumMetrics") void this.sumFor(from);
  }

  /** Sums of the same moment share one round of reports. */
  private async sumFor(worker: WorkerProcess): Promise<void> {
    this.summing ??= Promise.all(Array.from(this.processes, (each) => each.collect())).then(() => {
      this.summing = undefined;
    });
    await this.summing;
    worker.send({ kind: "metrics", text: await this.metrics.text() });
  }
}
