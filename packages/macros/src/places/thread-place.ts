import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type MacroEntry, MacroFault, type MacroHost, type MacroOutcome, type MacroPlace } from "@sallyport/core";
import type { FromThread, Ready } from "../threads/messages.ts";
import type { Place } from "../threads/thread.ts";
import { type Ended, PlaceEntry } from "./place-entry.ts";

const TICK = 100;

/** Has a thread serve a place until the signal or the end of the place. */
export type StartThread = (place: Place, port: MessagePort, signal: AbortSignal) => Promise<unknown>;

/** A thread for one execution, and for what is entered on its way. */
export class ThreadPlace implements MacroPlace {
  private readonly port: MessagePort;
  private readonly life = new Int32Array(new SharedArrayBuffer(4));
  private readonly abort = new AbortController();
  private readonly onRelease: () => void;
  private readonly entries = new Map<number, PlaceEntry>();
  /** Those that were entered one inside of the other; the last one is the innermost. */
  private readonly nested: PlaceEntry[] = [];
  private lastId = 0;
  private isReady = false;
  private isOver = false;
  private ticking: NodeJS.Timeout | undefined;
  private seen = 0;
  private silence = 0;

  constructor(start: StartThread, onRelease: () => void) {
    this.onRelease = onRelease;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.port.on("message", (message: FromThread | Ready) => this.hear(message));
    const gone = (): void => this.lose("ended", "its thread is gone");
    start({ port: port2, life: this.life }, port2, this.abort.signal).then(gone).catch(gone);
  }

  async enter(entry: MacroEntry, host: MacroHost): Promise<MacroOutcome> {
    const { entered, ended } = await this.begin(entry, host);
    return { result: ended.result, statusMessage: ended.status, usage: { cpu: entered.cpu, hostCalls: ended.hostCalls } };
  }

  /** Like `enter`, for a module that has not become JavaScript yet. */
  async inspect(entry: MacroEntry, host: MacroHost, language: "js" | "ts"): Promise<Ended> {
    return (await this.begin(entry, host, language)).ended;
  }

  release(): void {
    if (this.isOver) return;
    const runs = [...this.entries.values()].some((entry) => entry.isRunning);
    this.lose("ended", "its place was given back");
    if (runs) this.abort.abort();
    else this.port.postMessage({ type: "release" });
    this.onRelease();
  }

  private async begin(entry: MacroEntry, host: MacroHost, language?: "js" | "ts"): Promise<{ readonly entered: PlaceEntry; readonly ended: Ended }> {
    if (this.isOver) throw new MacroFault("ended", entry.module.name, "its thread is gone");
    const around = this.nested.at(-1);
    const { cpu, timeout } = entry.limits;
    const budget = around === undefined ? { cpu, timeout } : { cpu: Math.min(cpu, around.left.cpu), timeout: Math.min(timeout, around.left.timeout) };
    const id = (this.lastId += 1);
    const entered = new PlaceEntry(id, entry, host, budget, { post: (message) => this.port.postMessage(message), kill: () => this.kill() });
    this.entries.set(id, entered);
    this.nested.push(entered);
    this.ticking ??= setInterval(() => this.tick(), TICK);
    try {
      entered.begin(language);
      if (this.isReady) entered.startClock();
      return { entered, ended: await entered.ended };
    } finally {
      this.entries.delete(id);
      this.nested.splice(this.nested.indexOf(entered), 1);
      around?.addCharge(entered.cpu);
      if (this.entries.size === 0) this.stopTicking();
    }
  }

  private hear(message: FromThread | Ready): void {
    if (message.type === "ready") {
      this.isReady = true;
      for (const entry of this.entries.values()) entry.startClock();
    } else this.entries.get(message.id)?.hear(message);
  }

  /** Counts the ticks in which nothing was heard of a thread that runs: an engine that is caught in one of its own functions asks nobody. */
  private tick(): void {
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

  private kill(): void {
    this.lose("ended", "its thread was ended");
    this.abort.abort();
    this.onRelease();
  }

  /** Nothing runs here any more. */
  private lose(kind: "ended", message: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopTicking();
    for (const entry of this.entries.values()) entry.lose(kind, message);
    if (this.abort.signal.aborted) this.port.close();
  }

  private stopTicking(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
  }
}
