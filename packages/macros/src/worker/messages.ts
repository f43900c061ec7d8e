import type { MessagePort } from "node:worker_threads";
import type { MacroFaultKind, MacroLimits, MacroModule } from "@sallyport/core";
import type { Page } from "../prelude/packed-page.ts";

/** Maximum leases per worker. One execution runs; the others wait for the host or for the worker. */
export const LEASES_PER_WORKER = 12;

/** Maximum runnable executions per worker. Queued ones are sent ahead of time. */
export const READY_PER_WORKER = 4;

export interface WorkerData {
  /** QuickJS, compiled once for all workers. */
  readonly engine: WebAssembly.Module;
  readonly threadPriority: number;
  /** Memory of the `Heartbeat`. */
  readonly heartbeat: SharedArrayBuffer;
}

/** Runs a module. Data of clients and modules is JSON text that neither side evaluates. */
export interface Invoke {
  readonly type: "invoke";
  readonly id: number;
  /** Goes to the front of the queue: its execution has already begun, or holds a resource that others need. */
  readonly isNext: boolean;
  /** Send time in milliseconds since 1970. */
  readonly at: number;
  readonly module: MacroModule;
  /** Set for an inspection. It strips the types of `ts` and returns the module's JavaScript. */
  readonly language?: "js" | "ts";
  readonly driver: string;
  readonly argument: string;
  /** The values of the objects whose member names are in the argument. */
  readonly page?: Page;
  /** The timeout starts when the invocation begins. */
  readonly limits: MacroLimits;
}

/** The host's answer to the pending call of an invocation. */
export interface Answer {
  readonly type: "answer";
  readonly id: number;
  readonly text: string | undefined;
  /** Error code, if the host refused. `text` is then the detail. */
  readonly code: number | undefined;
  /** Milliseconds of CPU time of nested invocations. */
  readonly charge: number;
  /** Number of host calls of nested invocations. */
  readonly nestedCalls: number;
}

/** Drops invocations. `Dropped` confirms it. */
interface Drop {
  readonly type: "drop";
  readonly id: number;
  readonly ids: readonly number[];
}

export type ToWorker = Invoke | Answer | Drop;

interface FromInvocation {
  readonly id: number;
  /** Milliseconds in the worker's queue. */
  readonly waited: number;
  /** Milliseconds of CPU time so far. */
  readonly cpu: number;
  /** Log lines since the last message. */
  readonly lines: readonly string[];
}

export interface Called extends FromInvocation {
  readonly type: "call";
  readonly name: string;
  readonly argument: string;
}

export interface Done extends FromInvocation {
  readonly type: "done";
  /** JSON, empty for `undefined`. */
  readonly result: string;
  readonly status: string | undefined;
  readonly hostCalls: number;
  /** JavaScript of an inspected module. */
  readonly code: string | undefined;
}

export interface Failed extends FromInvocation {
  readonly type: "failed";
  readonly kind: MacroFaultKind | "refused";
  readonly message: string;
  readonly trace: string | undefined;
  readonly code: number | undefined;
  /** The worker is broken and must be terminated. */
  readonly isUnfit?: boolean;
}

interface Dropped {
  readonly type: "dropped";
  readonly id: number;
}

export type InvocationMessage = Called | Done | Failed;
export type FromWorker = InvocationMessage | Dropped | { readonly type: "ready" };

/** Milliseconds for which a message can wait for others. */
const MAX_DELAY = 1;

/** Batches the messages of a worker: waking the server costs more than most messages. */
export class SendBuffer {
  private messages: FromWorker[] = [];
  private since = 0;
  private isPaused = false;

  constructor(private readonly port: MessagePort) {}

  put(message: FromWorker): void {
    if (this.messages.length === 0) this.since = performance.now();
    this.messages.push(message);
    if (!this.isPaused) this.send();
  }

  /** Sends no messages until `work` returns. */
  pauseDuring(work: () => void): void {
    this.isPaused = true;
    try {
      work();
    } finally {
      this.isPaused = false;
      this.send();
    }
  }

  /** Long-running work must call it regularly. */
  sendOld(): void {
    if (this.messages.length > 0 && performance.now() - this.since > MAX_DELAY) this.send();
  }

  private send(): void {
    if (this.messages.length === 0) return;
    this.port.postMessage(this.messages);
    this.messages = [];
  }
}

const BEATS = 0;
const CURRENT = 1;
const CANCELLED = 2;
const BEGUN = 3;
const WAITED = 4;

/** Words shared by the server and a worker. Changes are visible at once, even if the other thread is blocked. */
export class Heartbeat {
  private readonly words: Int32Array;

  constructor(readonly shared = new SharedArrayBuffer(20)) {
    this.words = new Int32Array(shared);
  }

  /** Number of heartbeats. */
  get beats(): number {
    return Atomics.load(this.words, BEATS);
  }

  /** Id of the running invocation, 0 for none. */
  get current(): number {
    return Atomics.load(this.words, CURRENT);
  }

  set current(id: number) {
    Atomics.store(this.words, CURRENT, id);
  }

  /** Id of the last invocation that has begun. Queued invocations begin in the order of their ids. */
  get begun(): number {
    return Atomics.load(this.words, BEGUN);
  }

  /** Milliseconds that the invocation `begun` spent in the queue. */
  get waited(): number {
    return Atomics.load(this.words, WAITED);
  }

  begin(id: number, waited: number): void {
    Atomics.store(this.words, WAITED, waited);
    Atomics.store(this.words, BEGUN, id);
  }

  /** Asks the worker to stop an invocation at once. */
  cancel(id: number): void {
    Atomics.store(this.words, CANCELLED, id);
  }

  /** Records a heartbeat. Returns whether the invocation must stop. */
  beat(id: number): boolean {
    Atomics.add(this.words, BEATS, 1);
    return Atomics.load(this.words, CANCELLED) === id;
  }
}
