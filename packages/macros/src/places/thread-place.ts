import { type MacroEntry, MacroFault, type MacroHost, type MacroOutcome, type MacroPlace } from "@sallyport/core";
import type { Budget, Ended, PlaceEntry } from "./place-entry.ts";
import type { Seat } from "./seat.ts";
import type { Turns } from "./turns.ts";

/** A place in a thread for one execution, and for what is entered on its way, until it is given back. */
export class ThreadPlace implements MacroPlace {
  private readonly seat: Seat;
  private readonly turns: Turns;
  private readonly giveBack: () => void;
  /** Those that were entered one inside of the other; the last one is the innermost. */
  private readonly nested: PlaceEntry[] = [];
  private waits = false;
  private released = false;
  private left = false;

  /** Who has it has had a turn to enter. */
  constructor(seat: Seat, turns: Turns, giveBack: () => void) {
    this.seat = seat;
    this.turns = turns;
    this.giveBack = giveBack;
    seat.inside += 1;
    seat.running += 1;
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

  private async run(entry: MacroEntry, host: MacroHost, language?: "js" | "ts"): Promise<Ended & { readonly cpu: number }> {
    if (this.released) throw new MacroFault("ended", entry.module.name, "its place was given back");
    if (this.seat.isOver) throw new MacroFault(this.seat.faultOf(this), entry.module.name, "its thread is gone");
    const around = this.nested.at(-1);
    const budget = around === undefined ? entry.limits : lesser(entry.limits, around.left);
    this.turn(false);
    const entered = this.seat.begin({ entry, host, budget, language, place: this, onWait: (waits) => this.turn(waits) });
    this.nested.push(entered);
    try {
      const ended = await entered.ended;
      return { ...ended, cpu: entered.cpu };
    } finally {
      this.seat.forget(entered);
      this.nested.splice(this.nested.indexOf(entered), 1);
      around?.addCharge(entered);
      this.turn(around !== undefined);
    }
  }

  /** While the host is at work for it, another may run. */
  private turn(waits: boolean): void {
    // What the host was at work for may end later.
    if (this.left || this.waits === waits) return;
    this.waits = waits;
    this.seat.running += waits ? -1 : 1;
    if (waits) this.turns.pause();
    else this.turns.resume();
  }

  private leave(): void {
    this.turn(false);
    this.left = true;
    this.seat.inside -= 1;
    this.seat.running -= 1;
    this.giveBack();
    this.turns.leave();
  }
}

function lesser(one: Budget, other: Budget): Budget {
  return {
    cpu: Math.min(one.cpu, other.cpu),
    timeout: Math.min(one.timeout, other.timeout),
    hostCalls: Math.min(one.hostCalls, other.hostCalls),
  };
}
