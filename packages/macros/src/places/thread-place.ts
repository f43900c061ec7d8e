import { type MacroEntry, MacroFault, type MacroHost, type MacroOutcome, type MacroPlace } from "@sallyport/core";
import type { Budget, Ended, PlaceEntry } from "./place-entry.ts";
import type { Seat } from "./seat.ts";

/** How often an execution that has not begun moves on when others take its thread with them. */
const MOST_MOVES = 3;

/** Where places come from. */
export interface PlaceGate {
  /** Whether there will be seats. */
  readonly isOpen: () => boolean;
  /** Told when others may run. */
  readonly admit: () => void;
  /** Takes a seat back. */
  readonly giveBack: (seat: Seat) => void;
  /** Another seat instead of one in which nothing was done; 706 when that is not there in time. */
  readonly replace: (seat: Seat) => Promise<Seat>;
}

/** A place in a thread for one execution, and for what is entered on its way, until it is given back. */
export class ThreadPlace implements MacroPlace {
  private seat: Seat;
  private readonly gate: PlaceGate;
  private readonly isHolding: boolean;
  private hasEntered = false;
  private waitedBefore = 0;
  /** Those that were entered one inside of the other; the last one is the innermost. */
  private readonly nested: PlaceEntry[] = [];
  private seated = true;
  private waits = false;
  private released = false;
  private left = false;

  /** On a seat that was taken. `isHolding`: who has it keeps others from something. */
  constructor(seat: Seat, gate: PlaceGate, isHolding: boolean) {
    this.seat = seat;
    this.gate = gate;
    this.isHolding = isHolding;
  }

  get waited(): number {
    return this.waitedBefore + (this.nested[0]?.waited ?? 0);
  }

  async enter(entry: MacroEntry, host: MacroHost): Promise<MacroOutcome> {
    const { result, status, hostCalls, cpu } = await this.run(entry, host);
    return { result, statusMessage: status, usage: { cpu, hostCalls } };
  }

  /** Like `enter`, for a module that has not become JavaScript yet. */
  inspect(entry: MacroEntry, host: MacroHost, language: "js" | "ts"): Promise<Ended> {
    return this.run(entry, host, language);
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    if (this.nested.length === 0) this.leave();
    else void this.seat.rest([...this.nested]).then(() => this.leave());
  }

  private async run(
    entry: MacroEntry,
    host: MacroHost,
    language?: "js" | "ts",
  ): Promise<Ended & { readonly cpu: number }> {
    if (this.released) throw new MacroFault("ended", entry.module.name, "its place was given back");
    if (!this.seated) throw new MacroFault("displaced", entry.module.name, "its place went to others");
    if (this.seat.isOver) throw new MacroFault(this.seat.faultOf(this), entry.module.name, "its thread is gone");
    const around = this.nested.at(-1);
    for (let moves = 0; ; moves += 1) {
      const entered = this.begin(entry, host, language, around);
      try {
        const ended = await entered.ended;
        this.hasEntered = true;
        return { ...ended, cpu: entered.cpu };
      } catch (error) {
        this.hasEntered = !entered.isUntouched;
        if (!entered.isUntouched || around !== undefined || !this.mayMove || moves === MOST_MOVES) throw error;
      } finally {
        this.end(entered, around);
      }
      await this.move(entry);
    }
  }

  private get mayMove(): boolean {
    return !this.released && this.gate.isOpen();
  }

  /** Others were before it, and what came of them is nothing to this one. */
  private async move({ module }: MacroEntry): Promise<void> {
    this.seated = false;
    const seat = await this.gate.replace(this.seat);
    if (this.released) {
      this.gate.giveBack(seat);
      throw new MacroFault("ended", module.name, "its place was given back");
    }
    this.seat = seat;
    this.seated = true;
  }

  private begin(
    entry: MacroEntry,
    host: MacroHost,
    language: "js" | "ts" | undefined,
    around: PlaceEntry | undefined,
  ): PlaceEntry {
    const budget = around === undefined ? entry.limits : lesser(entry.limits, around.left);
    this.turn(false);
    const entered = this.seat.begin({
      entry,
      host,
      budget,
      language,
      place: this,
      isNext: this.isHolding || this.hasEntered || around !== undefined,
      onWait: (waits) => this.turn(waits),
    });
    this.nested.push(entered);
    return entered;
  }

  private end(entered: PlaceEntry, around: PlaceEntry | undefined): void {
    this.seat.forget(entered);
    if (around === undefined) this.waitedBefore += entered.waited;
    this.nested.splice(this.nested.indexOf(entered), 1);
    around?.addCharge(entered);
    this.turn(around !== undefined);
  }

  /** While the host is at work for it, another may run. */
  private turn(waits: boolean): void {
    // What the host was at work for may end later.
    if (this.left || !this.seated || this.waits === waits) return;
    this.waits = waits;
    this.seat.running += waits ? -1 : 1;
    if (waits) this.gate.admit();
  }

  private leave(): void {
    this.turn(false);
    this.left = true;
    if (this.seated) this.gate.giveBack(this.seat);
  }
}

function lesser(one: Budget, other: Budget): Budget {
  return {
    cpu: Math.min(one.cpu, other.cpu),
    timeout: Math.min(one.timeout, other.timeout),
    hostCalls: Math.min(one.hostCalls, other.hostCalls),
  };
}
