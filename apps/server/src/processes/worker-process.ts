import type { Worker } from "node:cluster";
import type { Leaving, PrimaryMessage, WorkerMessage } from "./worker-link.ts";

/** Milliseconds of service after which a worker counts as sound. */
export const soundAge = 10_000;

/** Milliseconds that a sum of metrics waits for a busy worker. Then its last values count. */
const collectTimeout = 1_000;

/** The process of a worker, as its primary process sees it. */
export class WorkerProcess {
  /** The URL of the server, when the worker serves requests; `null` if it ended before. */
  readonly ready: Promise<string | null>;
  /** Why the worker ended, in words. Never rejects. */
  readonly ended: Promise<string>;
  private readyAt = Number.POSITIVE_INFINITY;
  /** Whether it was told to leave and did so without a failure. */
  private hasLeft = false;
  private collected: (() => void)[] = [];

  constructor(
    private readonly number: number,
    private readonly worker: Worker,
    received: (message: WorkerMessage) => void,
  ) {
    this.ended = new Promise((resolve) => {
      worker.once("exit", (code: number | null, signal: string | null) => {
        this.hasLeft = code === 0;
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      });
      // The process could not be started. Then it does not exit either.
      worker.once("error", (error) => resolve(error.message));
    });
    this.ready = new Promise((resolve) => {
      void this.ended.then(() => resolve(null));
      worker.on("message", (message: WorkerMessage) => {
        if (message.kind === "ready") {
          this.readyAt = performance.now();
          resolve(message.url);
        }
        received(message);
        if (message.kind === "collected") for (const each of this.collected.splice(0)) each();
      });
    });
  }

  /** For the log. */
  get facts(): { readonly worker: number; readonly workerPid: number | undefined } {
    return { worker: this.number, workerPid: this.worker.process.pid };
  }

  /** Whether it has served for a while. */
  get isSound(): boolean {
    return performance.now() - this.readyAt >= soundAge;
  }

  send(message: PrimaryMessage): void {
    // A worker that is ending needs no message.
    if (this.worker.isConnected()) this.worker.send(message, () => {});
  }

  /** Lets the worker finish its requests and end, and kills it after `limit` milliseconds. Returns whether it ended well. */
  async leave(leaving: Leaving, limit: number): Promise<boolean> {
    const order: PrimaryMessage = { kind: "leave", leaving };
    this.send(order);
    // A process that has not loaded its modules yet misses it.
    if (this.readyAt === Number.POSITIVE_INFINITY) void this.ready.then((url) => url !== null && this.send(order));
    const late = setTimeout(() => this.worker.process.kill("SIGKILL"), limit);
    await this.ended;
    clearTimeout(late);
    return this.hasLeft;
  }

  async kill(): Promise<void> {
    this.worker.process.kill("SIGKILL");
    await this.ended;
  }

  /** Resolves when the worker has reported its metrics, has ended, or is too busy. */
  async collect(): Promise<void> {
    if (this.readyAt === Number.POSITIVE_INFINITY) return;
    await new Promise<void>((resolve) => {
      this.collected.push(resolve);
      void this.ended.then(() => resolve());
      setTimeout(resolve, collectTimeout).unref();
      this.send({ kind: "collect" });
    });
  }
}
