import type { MessagePort } from "node:worker_threads";
import type { MacroFaultKind, MacroLimits, MacroModule } from "@sallyport/core";
import type { Page } from "../prelude/packed-page.ts";

/** Leases of one worker at most. One execution runs; the others wait for the server or for their turn. */
export const LEASES_PER_WORKER = 12;

/** Executions of one worker that run or could run: the next ones are in the worker before their turn. */
export const READY_PER_WORKER = 4;

export interface WorkerData {
  /** QuickJS, compiled once for all workers. */
  readonly engine: WebAssembly.Module;
  readonly threadPriority: number;
  /** Memory of the `Heartbeat`. */
  readonly heartbeat: SharedArrayBuffer;
}

/** Runs a module. The data of clients and modules cross as JSON text, which neither side evaluates. */
export interface Invoke {
  readonly type: "invoke";
  readonly id: number;
  /** Goes before those that have not begun: its execution has begun, or holds something that others need. */
  readonly isNext: boolean;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  readonly module: MacroModule;
  /** Set for an inspection, which strips the types of `ts` first and returns the module's JavaScript. */
  readonly language?: "js" | "ts";
  readonly driver: string;
  readonly argument: string;
  /** The values of the objects whose names are in the argument. */
  readonly page?: Page;
  /** The time-out runs from now. */
  readonly limits: MacroLimits;
}

/** The host's answer to the call that an invocation waits for. */
export interface Answer {
  readonly type: "answer";
  readonly id: number;
  readonly text: string | undefined;
  /** Set when the host refused; `text` is the detail. */
  readonly code: number | undefined;
  /** Milliseconds that nested invocations ran meanwhile. */
  readonly charge: number;
  /** Host calls that they made meanwhile. */
  readonly nestedCalls: number;
}

/** Forgets invocations; answered by `Dropped`. */
interface Drop {
  readonly type: "drop";
  readonly id: number;
  readonly ids: readonly number[];
}

export type ToWorker = Invoke | Answer | Drop;

interface FromInvocation {
  readonly id: number;
  /** Milliseconds for which others were before it. */
  readonly waited: number;
  /** Milliseconds of running until now. */
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
  /** JSON; empty for nothing. */
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
  /** The worker broke and must be ended. */
  readonly isUnfit?: boolean;
}

interface Dropped {
  readonly type: "dropped";
  readonly id: number;
}

export type InvocationMessage = Called | Done | Failed;
export type FromWorker = InvocationMessage | Dropped | { readonly type: "ready" };

/** Milliseconds for which a message may wait for others. */
const MAX_DELAY = 1;

/** Batches the messages of a worker: waking the server costs more than most messages. */
export class SendBuffer {
  private messages: FromWorker[] = [];
  private since = 0;
  private isHeld = false;

  constructor(private readonly port: MessagePort) {}

  put(message: FromWorker): void {
    if (this.messages.length === 0) this.since = performance.now();
    this.messages.push(message);
    if (!this.isHeld) this.send();
  }

  /** Holds messages back until `work` is done. */
  hold(work: () => void): void {
    this.isHeld = true;
    try {
      work();
    } finally {
      this.isHeld = false;
      this.send();
    }
  }

  /** Called again and again by what may run for long. */
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

/** Words that the server and a worker share: each side sees them at once, whatever the other does. */
export class Heartbeat {
  private readonly words: Int32Array;

  constructor(readonly shared = new SharedArrayBuffer(20)) {
    this.words = new Int32Array(shared);
  }

  /** How often the worker has shown that it lives. */
  get beats(): number {
    return Atomics.load(this.words, BEATS);
  }

  /** The running invocation; 0 for none. */
  get current(): number {
    return Atomics.load(this.words, CURRENT);
  }

  set current(id: number) {
    Atomics.store(this.words, CURRENT, id);
  }

  /** The last invocation that has begun; those that wait their turn begin in the order of their ids. */
  get begun(): number {
    return Atomics.load(this.words, BEGUN);
  }

  /** Milliseconds for which that one waited. */
  get waited(): number {
    return Atomics.load(this.words, WAITED);
  }

  begin(id: number, waited: number): void {
    Atomics.store(this.words, WAITED, waited);
    Atomics.store(this.words, BEGUN, id);
  }

  /** Asks an invocation to stop wherever it is. */
  cancel(id: number): void {
    Atomics.store(this.words, CANCELLED, id);
  }

  /** Shows that the worker lives. Returns whether the invocation must stop. */
  beat(id: number): boolean {
    Atomics.add(this.words, BEATS, 1);
    return Atomics.load(this.words, CANCELLED) === id;
  }
}
