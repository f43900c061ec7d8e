import type { Repositories } from "@sallyport/storage";
import type { Fault } from "./fault.ts";

type Methods<R> = { [M in keyof R]: R[M] extends (...args: never[]) => Promise<unknown> ? M : never }[keyof R] & string;

/** The storage's own calls, and `commit`: the end of a transaction after its work succeeded. */
export type OwnCall =
  | "transaction"
  | "commit"
  | "batch"
  | "migrate"
  | "alignIndexes"
  | "readyIndexes"
  | "health"
  | "now";

/** A call that can fail: a repository method, such as `objects.insert`, or a call of the storage itself. */
export type CallName = { [R in keyof Repositories]: `${R}.${Methods<Repositories[R]>}` }[keyof Repositories] | OwnCall;

export interface Call {
  readonly name: CallName;
  readonly args: readonly unknown[];
  /** Whether the call stands alone or belongs to a transaction or a batch. */
  readonly within: "itself" | "transaction" | "batch";
}

/** The members of calls and faults that a script uses. */
type AnyCall = { readonly name: string };
type AnyFault = { readonly kind: string; readonly times?: number };

/** Selects a call to fail, and the fault. */
export interface Instruction<C extends AnyCall = Call, F extends AnyFault = Fault> {
  /** A call name, or a predicate. */
  readonly call: C["name"] | ((call: C) => boolean);
  /** Selects the nth matching call since this was added, from 1. Default: 1. `every` selects all. Retries do not count. */
  readonly nth?: number | "every";
  readonly fault: F;
}

export interface ScriptedFault {
  /** How many faults it has injected. */
  readonly injections: number;
}

interface ActiveInstruction<C extends AnyCall, F extends AnyFault> extends ScriptedFault {
  readonly instruction: Instruction<C, F>;
  seen: number;
  injections: number;
}

/** Selects the calls of a storage that fail. It can change at any time. Instructions apply in the order of their addition. */
export class FaultScript<C extends AnyCall = Call, F extends AnyFault = Fault> {
  private active: ActiveInstruction<C, F>[] = [];
  private readonly recordings = new Set<C[]>();

  add(instruction: Instruction<C, F>): ScriptedFault {
    const active = { instruction, seen: 0, injections: 0 };
    this.active.push(active);
    return active;
  }

  clear(): void {
    this.active = [];
  }

  /** Records the calls made during the work, in the order of their start. */
  async record(work: () => Promise<unknown>): Promise<readonly C[]> {
    const calls: C[] = [];
    this.recordings.add(calls);
    try {
      await work();
    } finally {
      this.recordings.delete(calls);
    }
    return calls;
  }

  /** Returns the fault of this call. Call it exactly once for every call. */
  inject(call: C): F | undefined {
    for (const calls of this.recordings) calls.push(call);
    let injected: F | undefined;
    for (const active of this.active) {
      const { instruction } = active;
      if (!(typeof instruction.call === "string" ? instruction.call === call.name : instruction.call(call))) continue;
      active.seen += 1;
      if (injected !== undefined || !isDue(active)) continue;
      active.injections += 1;
      injected = instruction.fault;
    }
    return injected;
  }

  /** Saves the call counters. Returns a function that restores them, for a retried unit. */
  savepoint(): () => void {
    const saved = this.active.map((active) => [active, active.seen] as const);
    return () => {
      for (const [active, seen] of saved) active.seen = seen;
    };
  }
}

function isDue<C extends AnyCall, F extends AnyFault>(active: ActiveInstruction<C, F>): boolean {
  const { nth = 1, fault } = active.instruction;
  if (nth === "every") return true;
  return active.seen === nth && active.injections < (fault.times ?? 1);
}
