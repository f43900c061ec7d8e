import { Worker } from "node:worker_threads";
import { EngineStoppedError, StatementTimeoutError } from "../engine-errors.ts";
import {
  Deadline,
  type ThreadData,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from "./worker-messages.ts";

/** An answer of the database, and whether it was its last. */
export interface EngineAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly stopped: EngineStoppedError | undefined;
}

interface Waiting {
  resolve(answer: EngineAnswer): void;
  reject(error: Error): void;
}

/**
 * The thread's stack. PostgreSQL refuses what needs more than its 2 MB (54001); the compiled database needs a multiple of
 * that in the stack of this language, and where it ends first (4 MB by default) the database is torn apart by the first
 * deeply nested JSON value.
 */
const stackSizeMb = 64;

/** Milliseconds between two looks at whether a statement takes too long. */
const lookEvery = 25;

/**
 * The database in a thread of its own, where its synchronous work (a heavy query, the wait for the disk) holds up nobody
 * else. It keeps the process alive only while it has something to do.
 *
 * While it computes it hears of nothing, so a statement that takes longer than its `statement_timeout` is ended with the
 * thread. A database in memory would be lost with that: there the caller is told, and the statement goes on.
 */
export class EngineWorker {
  readonly #thread: Worker;
  readonly #deadline: Deadline;
  readonly #survivesItsEnd: boolean;
  readonly #waiting: Waiting[] = [];
  #watch: NodeJS.Timeout | undefined;
  #stopped: Error | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  private constructor(thread: Worker, deadline: Deadline, survivesItsEnd: boolean) {
    this.#thread = thread;
    this.#deadline = deadline;
    this.#survivesItsEnd = survivesItsEnd;
    thread.on("message", (reply: WorkerReply) => this.#receive(reply));
    thread.on("error", (error) => this.#stop(new EngineStoppedError(error.message, { cause: error })));
    thread.on("exit", (code) => this.#stop(new EngineStoppedError(`its thread ended (${code})`)));
    thread.unref();
  }

  /** @throws {EngineStoppedError} when the database cannot start, with what it said */
  static async start(settings: WorkerSettings): Promise<EngineWorker> {
    const deadline = new Deadline();
    const thread = new Worker(new URL("./engine-thread.js", import.meta.url), {
      workerData: { ...settings, deadline: deadline.memory } satisfies ThreadData,
      resourceLimits: { stackSizeMb },
    });
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error): void => reject(new EngineStoppedError(error.message, { cause: error }));
      thread.once("error", refuse);
      thread.once("exit", () => refuse(new Error("its thread ended")));
      thread.once("message", (reply: WorkerReply) => {
        if (reply.kind === "ready") return resolve();
        void thread.terminate();
        refuse(new Error(reply.kind === "refused" ? reply.reason : `unexpected ${reply.kind}`));
      });
    });
    return new EngineWorker(thread, deadline, settings.clusterDirectory !== undefined);
  }

  /** Why it stopped, if it did. */
  get stopped(): Error | undefined {
    return this.#stopped;
  }

  /** Resolves when nothing of a stopped one runs any more. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /**
   * Gives the database messages of the frontend and resolves with all it answers. Answers come in the order of the calls.
   *
   * @param settles whether the messages end in one the database answers with ReadyForQuery
   * @throws {StatementTimeoutError} when it took longer than the `statement_timeout` of the session
   * @throws {EngineStoppedError} when it stopped before it answered
   */
  exchange(bytes: Uint8Array, settles: boolean): Promise<EngineAnswer> {
    return this.#ask({ kind: "exchange", bytes, settles });
  }

  /** Makes the session a fresh one: no transaction, prepared statements, settings, temporary tables. */
  async refresh(): Promise<void> {
    await this.#ask({ kind: "refresh" });
  }

  /** The cluster as a tar file, after a checkpoint. No transaction may be open. */
  async dump(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#ask({ kind: "dump" })).bytes;
  }

  /**
   * Shuts the database down in order, or, when that takes longer than `patience` milliseconds, ends its thread: that loses
   * nothing committed and costs the next start a recovery.
   */
  async close(waitTimeout: number): Promise<void> {
    await withinTime(this.#ask({ kind: "close" }), waitTimeout).catch(() => undefined);
    this.#stop(new EngineStoppedError("it was closed"));
    await this.#ended;
  }

  #ask(request: WorkerRequest): Promise<EngineAnswer> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ resolve, reject }) === 1) this.#thread.ref();
      this.#watch ??= setInterval(() => this.#look(), lookEvery).unref();
      this.#thread.postMessage(request, []);
    });
  }

  #receive(reply: WorkerReply): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#thread.unref();
    if (reply.kind !== "answer") {
      waiting?.reject(new Error(reply.kind === "failed" ? reply.reason : `unexpected ${reply.kind}`));
      return;
    }
    const stopped = reply.stopped === undefined ? undefined : new EngineStoppedError(reply.stopped);
    waiting?.resolve({ bytes: reply.bytes, stopped });
    if (stopped !== undefined) this.#stop(stopped);
  }

  #look(): void {
    if (this.#stopped !== undefined || this.#waiting.length === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    } else if (this.#deadline.passed) {
      this.#expire(new StatementTimeoutError());
    }
  }

  #expire(reason: StatementTimeoutError): void {
    if (!this.#survivesItsEnd) {
      // Its place in the row stays, for the answer that is still to come.
      this.#waiting[0]?.reject(reason);
      return;
    }
    this.#stopped = reason;
    // An answer that it gave before its end arrives before that.
    this.#ended = this.#thread.terminate().then(() => this.#refuseAll(reason));
  }

  #stop(reason: EngineStoppedError): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason;
    this.#refuseAll(reason);
    this.#ended = this.#thread.terminate();
  }

  #refuseAll(reason: Error): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(reason);
  }
}

/** Waits for the work, at most so many milliseconds. The work goes on by itself; its failure is the caller's to see. */
export async function withinTime(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, end]).finally(() => clearTimeout(timer));
}
