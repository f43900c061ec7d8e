import {
  type JsonValue,
  type MacroEntry,
  MacroFault,
  type MacroFaultKind,
  type MacroHost,
  ServiceError,
} from "@sallyport/core";
import type { Called, Done, FromThread, ToThread } from "../threads/messages.ts";
import { crossingOf } from "./crossings.ts";
import { faultOf } from "./fault-of.ts";

/** Milliseconds after its time in which a thread may still say itself that it is over. */
const GRACE = 250;

/** What an entry came to, as the thread tells it. */
export interface Ended {
  readonly result: JsonValue | undefined;
  readonly status: string | undefined;
  readonly hostCalls: number;
  readonly code: string | undefined;
}

/** What an entry may use up, what contains it considered. */
export interface Budget {
  readonly cpu: number;
  readonly timeout: number;
  readonly hostCalls: number;
}

/** What an entry can do with its thread. */
export interface EntryThread {
  readonly post: (message: ToThread) => void;
  /** Whether the thread is at work for this entry now. */
  readonly runs: () => boolean;
  /** Whether it goes before those that have not begun. */
  readonly isNext: boolean;
  /** Whether the thread has come to this entry. */
  readonly hasBegun: () => boolean;
  /** Milliseconds for which it waited for that; nothing once others have begun behind it. */
  readonly waited: () => number | undefined;
  /** Says that the entry is to stop wherever it is. */
  readonly stop: () => void;
  /** Ends the thread. */
  readonly kill: () => void;
  /** Told when the entry waits for the host, and when it goes on. */
  readonly onWait: (waits: boolean) => void;
}

/** One entry as seen from the server: answers what it asks for, sees to its time, and settles once. */
export class PlaceEntry {
  readonly ended: Promise<Ended>;
  /** Milliseconds that it ran, with what ran inside of it. */
  cpu = 0;
  /** How often it called the host, with what ran inside of it. */
  calls = 0;
  readonly id: number;
  /** Whether it was lost before the thread came to it. */
  isUntouched = false;
  /** When the thread was told of it, in milliseconds since 1970. */
  private told = 0;
  private knownWait: number | undefined;
  private readonly entry: MacroEntry;
  private readonly host: MacroHost;
  private readonly budget: Budget;
  private readonly thread: EntryThread;
  private deadline = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private charge = 0;
  private callsInside = 0;
  private hostIsBusy = false;
  private isStripped = false;
  private isLate = false;
  private settled = false;
  /** How it ends as soon as the host is done with what it does. */
  private fault: MacroFault | undefined;
  private resolve!: (ended: Ended) => void;
  private reject!: (error: unknown) => void;

  constructor(id: number, entry: MacroEntry, host: MacroHost, budget: Budget, thread: EntryThread) {
    this.id = id;
    this.entry = entry;
    this.host = host;
    this.budget = budget;
    this.thread = thread;
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** What is left to entries inside of this one. */
  get left(): Budget {
    return {
      cpu: Math.max(1, this.budget.cpu - this.cpu),
      timeout: Math.max(1, this.timeLeft),
      hostCalls: Math.max(0, this.budget.hostCalls - this.calls),
    };
  }

  /** Whether the thread is to be heard of: this one runs, or should. */
  get isRunning(): boolean {
    return !this.settled && !this.hostIsBusy;
  }

  /** Whether its types are being stripped, or are about to be. */
  get isPrepared(): boolean {
    return this.isStripped && !this.thread.runs();
  }

  /** Milliseconds for which a thread that runs this may be silent. While types are stripped, nobody can be heard. */
  get patience(): number {
    return this.isPrepared ? this.budget.timeout : this.budget.cpu + GRACE;
  }

  /** Milliseconds for which others were before it. */
  get waited(): number {
    if (this.thread.isNext || this.isStripped) return 0;
    if (this.knownWait !== undefined) return this.knownWait;
    const waited = this.thread.hasBegun() ? this.thread.waited() : undefined;
    // If it has begun, what it says is on its way, and may be held up by what runs behind it.
    return waited ?? Date.now() - this.told;
  }

  begin(language: "js" | "ts" | undefined): void {
    const { module, driver, argument, limits } = this.entry;
    this.isStripped = language === "ts";
    this.told = Date.now();
    this.thread.post({
      type: "enter",
      id: this.id,
      isNext: this.thread.isNext,
      at: this.told,
      module,
      ...(language === undefined ? {} : { language }),
      driver,
      ...crossingOf(driver).pack(argument),
      limits: { ...this.budget, memory: limits.memory, resultBytes: limits.resultBytes },
    });
  }

  /** From now on its time passes. */
  startClock(): void {
    this.deadline = performance.now() + this.budget.timeout;
    this.timer = setTimeout(() => this.timeIsUp(), this.budget.timeout);
  }

  hear(message: FromThread): void {
    if (this.settled) return;
    this.knownWait = message.waited;
    this.cpu = message.cpu;
    for (const line of message.lines) this.host.log(line);
    if (message.type === "call") void this.answer(message);
    else if (message.type === "failed") {
      // It was ended because its time was up, which the thread may not have noticed by itself.
      this.fail(message.kind === "ended" && this.isLate ? this.timeout() : faultOf(this.entry.module.name, message));
      if (message.isUnfit === true) this.thread.kill();
    } else this.finish(message);
  }

  /** What ran inside of it counts as running of its own, and so do the calls that it made. */
  addCharge({ cpu, calls }: Pick<PlaceEntry, "cpu" | "calls">): void {
    this.charge += cpu;
    this.cpu += cpu;
    this.callsInside += calls;
    this.calls += calls;
  }

  /** Nothing more is to be heard of it. */
  lose(kind: MacroFaultKind, message: string): void {
    this.isUntouched = !this.isStripped && this.knownWait === undefined && !this.thread.hasBegun();
    this.fault ??= new MacroFault(kind, this.entry.module.name, message, { cpu: this.cpu });
    if (!this.hostIsBusy) this.fail(this.fault);
  }

  private finish({ result, status, hostCalls, code }: Done): void {
    let ended: Ended;
    try {
      ended = { result: result === "" ? undefined : this.unpack(result), status, hostCalls, code };
    } catch (error) {
      this.fail(
        new MacroFault("result", this.entry.module.name, "the result is no JSON", { cpu: this.cpu, cause: error }),
      );
      return;
    }
    this.settle(() => this.resolve(ended));
  }

  private unpack(result: string): JsonValue {
    const { driver, argument } = this.entry;
    return crossingOf(driver).unpack(JSON.parse(result) as JsonValue, argument);
  }

  private async answer({ name, argument }: Called): Promise<void> {
    this.hostIsBusy = true;
    this.thread.onWait(true);
    this.calls += 1;
    let answer: { readonly text: string | undefined; readonly code: number | undefined };
    try {
      const value = await this.host.answer({ name, argument: JSON.parse(argument) as JsonValue });
      answer = { text: value === undefined ? undefined : JSON.stringify(value), code: undefined };
    } catch (error) {
      if (!(error instanceof ServiceError) || !this.host.isCatchable(error)) {
        this.abandon(error);
        return;
      }
      answer = { text: JSON.stringify(error.detail ?? ""), code: error.code };
    }
    if (this.fault !== undefined) {
      this.abandon(this.fault);
      return;
    }
    this.hostIsBusy = false;
    this.thread.onWait(false);
    const { charge, callsInside } = this;
    [this.charge, this.callsInside] = [0, 0];
    this.thread.post({ type: "answer", id: this.id, charge, callsInside, ...answer });
  }

  private get timeLeft(): number {
    return this.deadline + this.waited - performance.now();
  }

  private timeIsUp(): void {
    if (this.thread.hasBegun() && this.timeLeft > 1) {
      // Others were before it.
      this.timer = setTimeout(() => this.timeIsUp(), this.timeLeft);
      return;
    }
    if (this.hostIsBusy) {
      // Settled only when the host has nothing under way for it any more.
      this.fault ??= this.timeout();
      return;
    }
    if (!this.thread.runs()) {
      // Others are before it, and cannot be ended on its account.
      this.lose("timeout", this.lateness);
      this.thread.post({ type: "drop", id: this.id });
      return;
    }
    this.isLate = true;
    this.thread.stop();
    this.timer = setTimeout(() => {
      if (!this.isRunning) return;
      const runs = this.thread.runs();
      this.lose("timeout", this.lateness);
      if (runs) this.thread.kill();
    }, GRACE);
  }

  private get lateness(): string {
    return `took longer than ${Math.round(this.budget.timeout)} ms`;
  }

  private timeout(): MacroFault {
    return new MacroFault("timeout", this.entry.module.name, this.lateness, { cpu: this.cpu });
  }

  private abandon(error: unknown): void {
    this.hostIsBusy = false;
    this.thread.post({ type: "drop", id: this.id });
    this.fail(error);
  }

  private fail(error: unknown): void {
    this.settle(() => this.reject(error));
  }

  private settle(how: () => void): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    how();
  }
}
