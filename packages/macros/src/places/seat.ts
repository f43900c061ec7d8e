import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { MacroEntry, MacroFaultKind, MacroHost } from "@sallyport/core";
import type { FromThread, Ready, Rested, ToThread } from "../threads/messages.ts";
import { Pulse } from "../threads/pulse.ts";
import type { Service } from "../threads/thread.ts";
import { type Budget, PlaceEntry } from "./place-entry.ts";

const TICK = 100;
/** Milliseconds in which a thread has to come to rest. */
const REST = 250;
/** Milliseconds after which it is looked at again what a thread that is to come to rest has begun. */
const LOOK = 10;
/** Characters of messages that go together, but for the last one: what goes together is in the thread's own memory together, and there is little of that. */
const MOST_TOGETHER = 1024 * 1024;

/** Has a thread serve a seat until the signal, or until the seat says that it is over. */
export type StartThread = (service: Service, port: MessagePort, signal: AbortSignal) => Promise<unknown>;

/** What is entered in a thread, and who hears of it when the entry waits for the host or goes on. */
interface Entering {
  readonly entry: MacroEntry;
  readonly host: MacroHost;
  readonly budget: Budget;
  /** That of a module that has not become JavaScript yet. */
  readonly language: "js" | "ts" | undefined;
  /** The execution that it belongs to. */
  readonly place: object;
  /** Whether it goes before those that have not begun. */
  readonly isNext: boolean;
  readonly onWait: (waits: boolean) => void;
}

/** A thread with the executions in it. One of them runs; the others wait for the host, or for their turn to go on. */
export class Seat {
  /** Executions that run, or may at any time. */
  running = 0;
  /** Those of them, or of those that wait, that keep others from something. */
  holding = 0;
  /** Executions that have a place here. */
  inside = 0;
  /** When the thread was heard last. */
  heard = 0;
  private readonly port: MessagePort;
  private readonly pulse = new Pulse(new SharedArrayBuffer(Pulse.bytes));
  private readonly abort = new AbortController();
  private readonly entries = new Map<number, PlaceEntry>();
  private readonly places = new WeakMap<PlaceEntry, object>();
  private readonly ready = new Signal();
  private readonly lost = new Signal();
  private readonly rests = new Map<number, Signal>();
  private outbox: ToThread[] = [];
  private lastId = 0;
  private isReady = false;
  private over = false;
  /** The execution on whose account the thread was lost, if it was one. */
  private guilty: object | undefined;
  private ticking: NodeJS.Timeout | undefined;
  private seen = { beats: 0, current: 0 };
  private silence = 0;

  constructor(start: StartThread) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.port.on("message", (messages: readonly (FromThread | Ready | Rested)[]) => {
      this.heard = performance.now();
      for (const message of messages) this.hear(message);
    });
    const gone = (): void => {
      this.lose("its thread is gone", this.pulse.current);
      // It may have gone before it had the other end.
      this.port.close();
    };
    start({ port: port2, pulse: this.pulse.shared }, port2, this.abort.signal).then(gone).catch(gone);
  }

  /** Whether nothing can be entered here any more. */
  get isOver(): boolean {
    return this.over;
  }

  /** Whether nobody has a place here. */
  get isEmpty(): boolean {
    return this.inside === 0;
  }

  /** What an execution that had a place here is told once the thread is lost: whether that was on its own account, or that of another. */
  faultOf(place: object): MacroFaultKind {
    return this.guilty === undefined || this.guilty === place ? "ended" : "displaced";
  }

  /** Begins an entry; the caller waits for its end, and forgets it then. */
  begin({ entry, host, budget, language, place, isNext, onWait }: Entering): PlaceEntry {
    const id = (this.lastId += 1);
    const thread = {
      post: (message: ToThread) => this.post(message),
      runs: () => this.pulse.current === id,
      isNext,
      hasBegun: () => isNext || this.pulse.begun >= id,
      waited: () => (this.pulse.begun === id ? this.pulse.waited : undefined),
      stop: () => this.pulse.stop(id),
      kill: () => this.kill(id),
      onWait,
    };
    const entered = new PlaceEntry(id, entry, host, budget, thread);
    this.entries.set(id, entered);
    this.places.set(entered, place);
    this.ticking ??= setInterval(() => this.tick(), TICK);
    entered.begin(language);
    if (this.isReady) entered.startClock();
    return entered;
  }

  forget({ id }: PlaceEntry): void {
    this.entries.delete(id);
  }

  /** Ends entries of which nobody wants to hear any more. Comes back when they are over; a thread that takes too long for it is ended. */
  async rest(entered: readonly PlaceEntry[]): Promise<void> {
    if (this.over) return;
    const ids = entered.map(({ id }) => id);
    const rest = (this.lastId += 1);
    const rested = new Signal();
    this.rests.set(rest, rested);
    for (const entry of entered) entry.lose("ended", "its place was given back");
    this.post({ type: "rest", id: rest, ids });
    // A thread that is still starting cannot be in the midst of anything.
    await Promise.race([this.ready.given, this.lost.given]);
    // Looked up once: a moment later the thread may be at work for somebody else.
    const ofThem = () => [this.pulse.current].find((id) => ids.includes(id));
    const stop = (): void => {
      const id = ofThem();
      if (id !== undefined) this.pulse.stop(id);
    };
    stop();
    const looking = setInterval(stop, LOOK);
    const timer = setTimeout(() => {
      const id = ofThem();
      if (id !== undefined) this.kill(id);
      // Others are before them, and they have not begun.
      else rested.give();
    }, REST);
    await Promise.race([this.lost.given, rested.given]);
    clearInterval(looking);
    clearTimeout(timer);
    this.rests.delete(rest);
  }

  /** Lets the thread go. */
  end(): void {
    if (this.over) return;
    this.post({ type: "release" });
    this.send();
    this.lose("its thread was let go", null);
  }

  /** Ends the thread, whatever it does, on account of an entry. */
  kill(id: number): void {
    this.abort.abort();
    this.lose("its thread was ended", id);
  }

  /** What is said in one turn of the event loop goes together: to wake the thread costs more than what it is told. */
  private post(message: ToThread): void {
    if (this.outbox.length === 0) setImmediate(() => this.send());
    this.outbox.push(message);
  }

  private send(): void {
    if (this.outbox.length === 0) return;
    const messages = this.outbox;
    this.outbox = [];
    let [from, size] = [0, 0];
    for (const [index, message] of messages.entries()) {
      size += sizeOf(message);
      if (size < MOST_TOGETHER) continue;
      this.port.postMessage(messages.slice(from, index + 1));
      [from, size] = [index + 1, 0];
    }
    if (from < messages.length) this.port.postMessage(messages.slice(from));
  }

  private hear(message: FromThread | Ready | Rested): void {
    if (message.type === "ready") {
      this.isReady = true;
      this.ready.give();
      for (const entry of this.entries.values()) entry.startClock();
    } else if (message.type === "rested") this.rests.get(message.id)?.give();
    else this.entries.get(message.id)?.hear(message);
  }

  /** Counts the ticks in which nothing was heard of a thread that runs: an engine that is caught in one of its own functions asks nobody. */
  private tick(): void {
    if (this.entries.size === 0) this.stopTicking();
    const { beats, current } = this.pulse;
    const entries = [...this.entries.values()].filter((entry) => entry.isRunning);
    // Where the thread is at work for none of them, it may be making JavaScript for one.
    const running =
      entries.find(({ id }) => id === current) ?? entries.find(({ isPrepared }) => isPrepared) ?? entries[0];
    if (!this.isReady || running === undefined || beats !== this.seen.beats || current !== this.seen.current) {
      this.seen = { beats, current };
      this.silence = 0;
      return;
    }
    this.silence += TICK;
    if (this.silence < running.patience) return;
    running.lose("cpu", "did not come back in time");
    this.kill(running.id);
  }

  /** `culprit`: the entry on whose account the thread is lost. Others that were in the thread could not help it. */
  private lose(message: string, culprit: number | null): void {
    if (this.over) return;
    this.over = true;
    this.stopTicking();
    const guilty = this.entries.get(culprit ?? 0);
    this.guilty = guilty === undefined ? undefined : this.places.get(guilty);
    for (const entry of this.entries.values()) entry.lose(this.faultOf(this.places.get(entry) ?? entry), message);
    this.lost.give();
  }

  private stopTicking(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
  }
}

/** How much a message takes, more or less. */
function sizeOf(message: ToThread): number {
  if (message.type === "answer") return message.text?.length ?? 0;
  if (message.type !== "enter") return 0;
  const { argument, module, page } = message;
  return argument.length + module.code.length + (page === undefined ? 0 : page.text.length + page.ends.length);
}

/** Something that happens once, and may be waited for. */
class Signal {
  readonly given: Promise<void>;
  give: () => void = () => {};

  constructor() {
    this.given = new Promise((resolve) => {
      this.give = resolve;
    });
  }
}
