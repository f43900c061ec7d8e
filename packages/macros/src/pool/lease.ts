import { MacroFault, type MacroHost, type MacroInvocation, type MacroLease, type MacroOutcome } from "@sallyport/core";
import type { Ended, Invocation } from "./invocation.ts";
import type { WorkerPool } from "./worker-pool.ts";
import type { WorkerSlot } from "./worker-slot.ts";

/** Maximum number of moves of an execution that has not begun and lost its worker to another one. */
const MAX_MOVES = 3;

/** A worker slot for one execution and its nested invocations. The holder must release it. */
export class Lease implements MacroLease {
  /** Unset before `enter`, during a move and after `leave`. */
  private slot: WorkerSlot | undefined;
  private hasBegun = false;
  private waitedBefore = 0;
  /** The last one is the innermost. */
  private readonly nested: Invocation[] = [];
  private isReleased = false;

  /** `until`: deadline for getting a slot, on the clock of `performance.now()`. */
  constructor(
    private readonly pool: WorkerPool,
    readonly occupiesResources: boolean,
    private readonly until: number,
  ) {}

  get waited(): number {
    return this.waitedBefore + (this.nested[0]?.waited ?? 0);
  }

  /** Whether a host call is in progress. Another execution can run during it. */
  get isWaiting(): boolean {
    return this.nested.at(-1)?.isHostBusy ?? false;
  }

  /** Waits for a slot. Errors as in `WorkerPool.acquire`. */
  async enter(): Promise<void> {
    this.slot = await this.pool.acquire(Math.max(0, this.until - performance.now()), this);
    if (this.isReleased) this.leave();
  }

  async invoke(invocation: MacroInvocation, host: MacroHost): Promise<MacroOutcome> {
    const { result, status, hostCalls, cpu } = await this.run(invocation, host);
    return { result, statusMessage: status, usage: { cpu, hostCalls } };
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    if (this.slot === undefined || this.nested.length === 0) this.leave();
    else void this.slot.cancel([...this.nested]).then(() => this.leave());
  }

  /** Runs a module. `language` is set for an inspection and strips the types first. */
  async run(call: MacroInvocation, host: MacroHost, language?: "js" | "ts"): Promise<Ended & { readonly cpu: number }> {
    const around = this.nested.at(-1);
    for (let moves = 0; ; moves += 1) {
      const slot = this.slotFor(call.module.name);
      const invocation = slot.begin({
        call,
        host,
        budget: around?.budgetOf(call.limits) ?? call.limits,
        language,
        lease: this,
        isNext: this.occupiesResources || this.hasBegun || around !== undefined,
        onWait: () => this.pool.admit(),
      });
      this.nested.push(invocation);
      try {
        const ended = await invocation.ended;
        this.hasBegun = true;
        return { ...ended, cpu: invocation.cpu };
      } catch (error) {
        this.hasBegun = !invocation.isUntouched;
        const mayMove = around === undefined && !this.isReleased && this.pool.isOpen && moves < MAX_MOVES;
        if (this.hasBegun || !mayMove) throw error;
      } finally {
        slot.forget(invocation);
        this.nested.splice(this.nested.indexOf(invocation), 1);
        if (around === undefined) this.waitedBefore += invocation.waited;
        else {
          around.addCharge(invocation);
          this.pool.admit();
        }
      }
      // Another execution lost the worker before this one began: move to a new slot.
      this.leave();
      await this.enter();
    }
  }

  private slotFor(module: string): WorkerSlot {
    const { slot } = this;
    if (this.isReleased) throw new MacroFault("ended", module, "its lease was released");
    if (slot === undefined) throw new MacroFault("evicted", module, "its worker was given to other executions");
    if (slot.isOver) throw new MacroFault(slot.faultOf(this), module, "its worker has ended");
    return slot;
  }

  private leave(): void {
    const { slot } = this;
    this.slot = undefined;
    if (slot !== undefined) this.pool.release(slot, this);
  }
}
