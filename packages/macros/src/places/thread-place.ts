import { type MacroEntry, MacroFault, type MacroHost, type MacroOutcome, type MacroPlace } from "@sallyport/core";
import type { Ended } from "./place-entry.ts";
import type { Seat } from "./seat.ts";

/** A seat for one execution, until it is given back. */
export class ThreadPlace implements MacroPlace {
  private readonly seat: Seat;
  private readonly giveBack: (seat: Seat) => Promise<void>;
  private released = false;

  constructor(seat: Seat, giveBack: (seat: Seat) => Promise<void>) {
    this.seat = seat;
    this.giveBack = giveBack;
  }

  async enter(entry: MacroEntry, host: MacroHost): Promise<MacroOutcome> {
    this.check(entry);
    const { result, status, hostCalls, cpu } = await this.seat.enter(entry, host);
    return { result, statusMessage: status, usage: { cpu, hostCalls } };
  }

  /** Like `enter`, for a module that has not become JavaScript yet. */
  inspect(entry: MacroEntry, host: MacroHost, language: "js" | "ts"): Promise<Ended> {
    this.check(entry);
    return this.seat.enter(entry, host, language);
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    void this.giveBack(this.seat);
  }

  private check(entry: MacroEntry): void {
    if (this.released) throw new MacroFault("ended", entry.module.name, "its place was given back");
  }
}
