import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { EngineStoppedError, StatementTimeoutError } from "../engine-errors.ts";
import {
  Deadline,
  type ThreadData,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from "./worker-messages.ts";

/** An answer of the database; `stopped` is set if it was the last one. */
export interface EngineAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly stopped: EngineStoppedError | undefined;
}

interface Waiting {
  resolve(answer: EngineAnswer): void;
  reject(error: Error): void;
}

/**
 * The thread's stack size. PostgreSQL refuses work beyond 2 MB of stack (54001). The compiled database needs a multiple
 * of that on the JavaScript stack. With the default of 4 MB, the first deeply nested JSON value would crash the
 * database.
 */
const stackSizeMb = 64;

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * The database, compiled once for all threads of this process: they share its code, as far as it is compiled. V8 optimizes
 * a function after so many executed bytes. By default these are so few that the start alone causes most of that work,
 * which takes longer than the start itself. The flag is that of the process: other WebAssembly compiled later has it, too.
 */
function compiledDatabase(): Promise<WebAssembly.Module> {
  compiled ??= readFile(new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"))).then((bytes) => {
    setFlagsFromString("--wasm-tiering-budget=100000000");
    return WebAssembly.compile(bytes);
  });
  return compiled;
}

/** Milliseconds between two checks of the statement time-out. */
const pollInterval = 25;

/**
 * The database in its own thread, so that its synchronous work (a heavy query, a disk sync) does not block the process.
 * It keeps the process alive only while it works.
 *
 * A busy thread receives no messages, so a statement beyond its `statement_timeout` ends with the thread. A database in
 * memory would be lost: there the call fails and the statement continues.
 */
export class EngineWorker {
  readonly #thread: Worker;
  readonly #deadline: Deadline;
  readonly #isDurable: boolean;
  readonly #waiting: Waiting[] = [];
  #watch: NodeJS.Timeout | undefined;
  #stopped: Error | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  private constructor(thread: Worker, deadline: Deadline, isDurable: boolean) {
    this.#thread = thread;
    this.#deadline = deadline;
    this.#isDurable = isDurable;
    thread.on("message", (reply: WorkerReply) => this.#receive(reply));
    thread.on("error", (error) => this.#stop(new EngineStoppedError(error.message, { cause: error })));
    thread.on("exit", (code) => this.#stop(new EngineStoppedError(`its thread ended (${code})`)));
    thread.unref();
  }

  /** @throws {EngineStoppedError} when the database cannot start, with its message */
  static async start(settings: WorkerSettings): Promise<EngineWorker> {
    const deadline = new Deadline();
    const thread = new Worker(new URL("./engine-thread.js", import.meta.url), {
      workerData: { ...settings, deadline: deadline.memory, compiled: await compiledDatabase() } satisfies ThreadData,
      transferList: settings.template === undefined ? [] : [settings.template.buffer as ArrayBuffer],
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

  /** The reason of the stop, if stopped. */
  get stopped(): Error | undefined {
    return this.#stopped;
  }

  /** Resolves when the thread of a stopped database has ended. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /**
   * Sends frontend messages to the database and resolves with the whole answer. Answers follow the order of the calls.
   *
   * @param settles whether the messages end in one the database answers with ReadyForQuery
   * @throws {StatementTimeoutError} when it takes longer than the `statement_timeout` of the session
   * @throws {EngineStoppedError} when it stops before it answers
   */
  exchange(bytes: Uint8Array, settles: boolean): Promise<EngineAnswer> {
    return this.#ask({ kind: "exchange", bytes, settles });
  }

  /** Resets the session: transaction, prepared statements, settings, temporary tables. */
  async refresh(): Promise<void> {
    await this.#ask({ kind: "refresh" });
  }

  /** The cluster as a tar file, after a checkpoint. Requires that no transaction is open. */
  async dump(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#ask({ kind: "dump" })).bytes;
  }

  /**
   * Shuts the database down, or ends its thread after `waitTimeout` milliseconds: no committed data is lost, but the
   * next start recovers.
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
      this.#watch ??= setInterval(() => this.#look(), pollInterval).unref();
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
    if (!this.#isDurable) {
      // Its queue entry stays for the pending answer.
      this.#waiting[0]?.reject(reason);
      return;
    }
    this.#stopped = reason;
    // An answer sent before the termination still arrives first.
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

/** Waits up to this many milliseconds. The work continues after that; the caller handles its failure. */
export async function withinTime(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, end]).finally(() => clearTimeout(timer));
}
