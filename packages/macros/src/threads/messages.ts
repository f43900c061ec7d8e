import type { MacroFaultKind, MacroModule } from "@sallyport/core";
import type { Page } from "../prelude/packed-items.ts";

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
export interface Drop {
  readonly type: "drop";
  readonly id: number;
}

/** Forgets several entries, and asks for word when that is done. */
export interface Rest {
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
