import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type MacroEntry, MacroFault, type MacroHost } from "@sallyport/core";
import type { FromThread, Ready, Rested } from "../threads/messages.ts";
import type { Service } from "../threads/thread.ts";
import { type Budget, type Ended, PlaceEntry } from "./place-entry.ts";

const TICK = 100;
/** Milliseconds in which a thread has to come to rest. To start another one takes longer than most executions would go on. */
const REST = 250;

/** Has a thread serve a seat until the signal, or until the seat says that it is over. */
export type StartThread = (service: Service, port: MessagePort, signal: AbortSignal) => Promise<unknown>;

/** A thread, for one execution after the other, and for what is entered on their way. */
export class Seat {
  private readonly port: MessagePort;
  private readonly life = new Int32Array(new SharedArrayBuffer(4));
  private readonly abort = new AbortController();
  private readonly entries = new Map<number, PlaceEntry>();
  /** Those that were entered one inside of the other; the last one is the innermost. */
  private readonly nested: PlaceEntry[] = [];
  private lastId = 0;
  private isReady = false;
  private over = false;
  private ticking: NodeJS.Timeout | undefined;
  private seen = 0;
  private silence = 0;
  private readonly ready: Promise<void>;
  private readonly lost: Promise<void>;
  private onReady = (): void => {};
  private onLost = (): void => {};
  private onRested = (): void => {};

  constructor(start: StartThread) {
    this.ready = new Promise((resolve) => (this.onReady = resolve));
    this.lost = new Promise((resolve) => (this.onLost = resolve));
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.port.on("message", (message: FromThread | Ready | Rested) => this.hear(message));
    const gone = (): void => {
      this.lose("its thread is gone");
      // It may have gone before it had the other end.
      this.port.close();
    };
    start({ port: port2, life: this.life }, port2, this.abort.signal).then(gone).catch(gone);
  }

  /** Whether nothing can be entered here any more. */
  get isOver(): boolean {
    return this.over;
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** Runs an entry. `language` is that of a module that has not become JavaScript yet. */
  async enter(entry: MacroEntry, host: MacroHost, language?: "js" | "ts"): Promise<Ended & { readonly cpu: number }> {
    if (this.over) throw new MacroFault("ended", entry.module.name, "its thread is gone");
    const around = this.nested.at(-1);
    const budget = around === undefined ? entry.limits : lesser(entry.limits, around.left);
    const id = (this.lastId += 1);
    const entered = new PlaceEntry(id, entry, host, budget, { post: (message) => this.port.postMessage(message), kill: () => this.kill() });
    this.entries.set(id, entered);
    this.nested.push(entered);
    this.ticking ??= setInterval(() => this.tick(), TICK);
    try {
      entered.begin(language);
      if (this.isReady) entered.startClock();
      const ended = await entered.ended;
      return { ...ended, cpu: entered.cpu };
    } finally {
      this.entries.delete(id);
      this.nested.splice(this.nested.indexOf(entered), 1);
      around?.addCharge(entered);
    }
  }

  /** Ends what still runs here, of which nobody wants to hear any more. Comes back when nothing does; a thread that takes too long for it is ended. */
  async rest(): Promise<void> {
    if (this.over) return;
    const entered = [...this.entries.values()];
    const rested = new Promise<void>((resolve) => (this.onRested = resolve));
    for (const entry of entered) entry.lose("ended", "its place was given back");
    this.port.postMessage({ type: "rest" });
    await Promise.race([this.ready, this.lost]);
    const timer = setTimeout(() => this.kill(), REST);
    // What the host does for an entry may take longer than the thread.
    await Promise.race([this.lost, Promise.all([rested, ...entered.map((entry) => entry.ended.catch(() => {}))])]);
    clearTimeout(timer);
  }

  /** Lets the thread go. */
  end(): void {
    if (this.over) return;
    this.port.postMessage({ type: "release" });
    this.lose("its thread was let go");
  }

  /** Ends the thread, whatever it does. */
  kill(): void {
    this.abort.abort();
    this.lose("its thread was ended");
  }

  private hear(message: FromThread | Ready | Rested): void {
    if (message.type === "ready") {
      this.isReady = true;
      this.onReady();
      for (const entry of this.entries.values()) entry.startClock();
    } else if (message.type === "rested") this.onRested();
    else this.entries.get(message.id)?.hear(message);
  }

  /** Counts the ticks in which nothing was heard of a thread that runs: an engine that is caught in one of its own functions asks nobody. */
  private tick(): void {
    if (this.isEmpty) this.stopTicking();
    const beat = Atomics.load(this.life, 0);
    const running = [...this.entries.values()].find((entry) => entry.isRunning);
    if (!this.isReady || running === undefined || beat !== this.seen) {
      this.seen = beat;
      this.silence = 0;
      return;
    }
    this.silence += TICK;
    if (this.silence < running.patience) return;
    running.lose("cpu", "did not come back in time");
    this.kill();
  }

  private lose(message: string): void {
    if (this.over) return;
    this.over = true;
    this.stopTicking();
    for (const entry of this.entries.values()) entry.lose("ended", message);
    this.onLost();
  }

  private stopTicking(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
  }
}

function lesser(one: Budget, other: Budget): Budget {
  return {
    cpu: Math.min(one.cpu, other.cpu),
    timeout: Math.min(one.timeout, other.timeout),
    hostCalls: Math.min(one.hostCalls, other.hostCalls),
  };
}
