import { MacroFault, type MacroHost, type MacroInvocation, type MacroLease, type MacroOutcome } from "@sallyport/core";
import type { Ended, Invocation } from "./invocation.ts";
import type { WorkerPool } from "./worker-pool.ts";
import type { WorkerSlot } from "./worker-slot.ts";

/** How often an execution that has not begun moves when another one costs it the worker. */
const MAX_MOVES = 3;

/** A slot of a worker for one execution and what it invokes, until it is released. */
export class Lease implements MacroLease {
  private hasBegun = false;
  private waitedBefore = 0;
  /** The last one is the innermost. */
  private readonly nested: Invocation[] = [];
  private isReleased = false;
  /** False while it moves, and once it has left. */
  private hasSlot = true;
  private isWaiting = false;

  /** `until`: when it gives up waiting for another slot, by `performance.now()`. */
  constructor(
    private slot: WorkerSlot,
    private readonly pool: WorkerPool,
    private readonly isHolding: boolean,
    private readonly until: number,
  ) {}

  get waited(): number {
    return this.waitedBefore + (this.nested[0]?.waited ?? 0);
  }

  async invoke(invocation: MacroInvocation, host: MacroHost): Promise<MacroOutcome> {
    const { result, status, hostCalls, cpu } = await this.run(invocation, host);
    return { result, statusMessage: status, usage: { cpu, hostCalls } };
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    if (this.nested.length === 0) this.leave();
    else void this.slot.cancel([...this.nested]).then(() => this.leave());
  }

  /** Runs a module; `language` is set for an inspection, which strips its types first. */
  async run(
    given: MacroInvocation,
    host: MacroHost,
    language?: "js" | "ts",
  ): Promise<Ended & { readonly cpu: number }> {
    const { name } = given.module;
    if (this.isReleased) throw new MacroFault("ended", name, "its lease was released");
    if (!this.hasSlot) throw new MacroFault("displaced", name, "its worker went to others");
    if (this.slot.isOver) throw new MacroFault(this.slot.faultOf(this), name, "its worker is gone");
    const around = this.nested.at(-1);
    for (let moves = 0; ; moves += 1) {
      const invocation = this.begin(given, host, language, around);
      try {
        const ended = await invocation.ended;
        this.hasBegun = true;
        return { ...ended, cpu: invocation.cpu };
      } catch (error) {
        this.hasBegun = !invocation.isUntouched;
        const mayMove = !this.isReleased && this.pool.isOpen;
        if (!invocation.isUntouched || around !== undefined || !mayMove || moves === MAX_MOVES) throw error;
      } finally {
        this.end(invocation, around);
      }
      await this.move(name);
    }
  }

  /** Another execution cost it the worker before it began. */
  private async move(module: string): Promise<void> {
    this.hasSlot = false;
    this.pool.giveBack(this.slot, this.isHolding);
    const slot = await this.pool.acquire(Math.max(0, this.until - performance.now()), this.isHolding);
    if (this.isReleased) {
      this.pool.giveBack(slot, this.isHolding);
      throw new MacroFault("ended", module, "its lease was released");
    }
    this.slot = slot;
    this.hasSlot = true;
  }

  private begin(
    given: MacroInvocation,
    host: MacroHost,
    language: "js" | "ts" | undefined,
    around: Invocation | undefined,
  ): Invocation {
    const budget = around?.budgetOf(given.limits) ?? given.limits;
    this.setWaiting(false);
    const invocation = this.slot.begin({
      given,
      host,
      budget,
      language,
      lease: this,
      isNext: this.isHolding || this.hasBegun || around !== undefined,
      onWait: (isWaiting) => this.setWaiting(isWaiting),
    });
    this.nested.push(invocation);
    return invocation;
  }

  private end(invocation: Invocation, around: Invocation | undefined): void {
    this.slot.forget(invocation);
    if (around === undefined) this.waitedBefore += invocation.waited;
    this.nested.splice(this.nested.indexOf(invocation), 1);
    around?.addCharge(invocation);
    this.setWaiting(around !== undefined);
  }

  /** While the host works for it, another execution may run. */
  private setWaiting(isWaiting: boolean): void {
    if (!this.hasSlot || this.isWaiting === isWaiting) return;
    this.isWaiting = isWaiting;
    this.slot.running += isWaiting ? -1 : 1;
    if (isWaiting) this.pool.admit();
  }

  private leave(): void {
    this.setWaiting(false);
    if (!this.hasSlot) return;
    this.hasSlot = false;
    this.pool.giveBack(this.slot, this.isHolding);
  }
}
