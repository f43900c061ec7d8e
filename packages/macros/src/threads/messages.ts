import type { MessagePort } from "node:worker_threads";
import type { MacroFaultKind, MacroModule } from "@sallyport/core";
import type { Page } from "../prelude/packed-items.ts";

/** Executions of a thread that have begun: one runs, the others wait for the server. More would hardly wait for less. */
export const EXECUTIONS_OF_THREAD = 12;

/** Executions of a thread that run or could: while one is at work, the next ones are there already. Who comes behind one that takes long waits for it. */
export const READY_OF_THREAD = 4;

/** What a thread is told to run. Data of clients and modules cross as JSON text, which neither side takes for more than text. */
export interface Enter {
  readonly type: "enter";
  readonly id: number;
  /** Goes before those that have not begun: it belongs to an execution that has, or that keeps others from something. */
  readonly isNext: boolean;
  /** When it was said, in milliseconds since 1970. */
  readonly at: number;
  readonly module: MacroModule;
  /** Set for a module that is inspected: it is made JavaScript first. */
  readonly language?: "js" | "ts";
  readonly driver: string;
  readonly argument: string;
  /** The values of objects that the argument tells the names of. */
  readonly page?: Page;
  readonly limits: {
    readonly cpu: number;
    /** Milliseconds from now. */
    readonly timeout: number;
    readonly memory: number;
    readonly hostCalls: number;
    readonly resultBytes: number;
  };
}

/** The host's answer of the call that an entry waits for. */
export interface Answer {
  readonly type: "answer";
  readonly id: number;
  readonly text: string | undefined;
  /** Set when the host refused; `text` is the detail. */
  readonly code: number | undefined;
  /** Milliseconds that entries inside of this one ran meanwhile. */
  readonly charge: number;
  /** Calls of the host that they made meanwhile. */
  readonly callsInside: number;
}

/** Forgets an entry. */
interface Drop {
  readonly type: "drop";
  readonly id: number;
}

/** Forgets several entries, and asks for word when that is done. */
interface Rest {
  readonly type: "rest";
  readonly id: number;
  readonly ids: readonly number[];
}

export type ToThread = Enter | Answer | Drop | Rest | { readonly type: "release" };

interface FromEntry {
  readonly id: number;
  /** Milliseconds for which others were before it. */
  readonly waited: number;
  /** Milliseconds of running until now. */
  readonly cpu: number;
  /** Lines that were written since the last message. */
  readonly lines: readonly string[];
}

export interface Called extends FromEntry {
  readonly type: "call";
  readonly name: string;
  readonly argument: string;
}

export interface Done extends FromEntry {
  readonly type: "done";
  /** JSON; empty for nothing. */
  readonly result: string;
  readonly status: string | undefined;
  readonly hostCalls: number;
  /** JavaScript of an inspected module. */
  readonly code: string | undefined;
}

export interface Failed extends FromEntry {
  readonly type: "failed";
  readonly kind: MacroFaultKind | "refused";
  readonly message: string;
  readonly trace: string | undefined;
  readonly code: number | undefined;
  /** Something in the thread broke: it is to be ended. */
  readonly isUnfit?: boolean;
}

/** The thread is there, and serves this place. */
export interface Ready {
  readonly type: "ready";
}

/** The entries that a `Rest` named are forgotten. */
export interface Rested {
  readonly type: "rested";
  readonly id: number;
}

export type FromThread = Called | Done | Failed;

/** Milliseconds for which a message may wait for others. */
const LONGEST = 1;

/**
 * Messages of a thread on their way out. Those of entries that run one after the other go together: to wake the other side costs more than
 * what it is told.
 */
export class Outbox<Message> {
  private readonly port: MessagePort;
  private waiting: Message[] = [];
  private since = 0;
  private holds = false;

  constructor(port: MessagePort) {
    this.port = port;
  }

  put(message: Message): void {
    if (this.waiting.length === 0) this.since = performance.now();
    this.waiting.push(message);
    if (!this.holds) this.send();
  }

  /** Keeps back what the work says until it is done. */
  hold(work: () => void): void {
    this.holds = true;
    try {
      work();
    } finally {
      this.holds = false;
      this.send();
    }
  }

  /** Asked again and again by what may run for long: what was said before is not to wait for its end. */
  sendOld(): void {
    if (this.waiting.length > 0 && performance.now() - this.since > LONGEST) this.send();
  }

  private send(): void {
    if (this.waiting.length === 0) return;
    const messages = this.waiting;
    this.waiting = [];
    this.port.postMessage(messages);
  }
}
