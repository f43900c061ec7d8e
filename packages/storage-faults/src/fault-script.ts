import type { Repositories } from "@sallyport/core";
import type { Fault } from "./fault.ts";

type Methods<R> = { [M in keyof R]: R[M] extends (...given: never[]) => Promise<unknown> ? M : never }[keyof R] &
  string;

/** The storage's own calls, and `commit`: the end of a transaction whose work was done. */
export type OwnCall =
  | "transaction"
  | "commit"
  | "batch"
  | "migrate"
  | "alignIndexes"
  | "readyIndexes"
  | "health"
  | "now";

/** What can fail: a method of a repository, such as `objects.insert`, or a call of the storage itself. */
export type CallName = { [R in keyof Repositories]: `${R}.${Methods<Repositories[R]>}` }[keyof Repositories] | OwnCall;

/** One call, as a script sees it. */
export interface Call {
  readonly name: CallName;
  readonly given: readonly unknown[];
  /** Whether it is a unit of its own or belongs to one. */
  readonly within: "itself" | "transaction" | "batch";
}

/** Which call is to fail, and how. */
export interface Instruction {
  /** Calls of this name, or all for which it is true. */
  readonly call: CallName | ((call: Call) => boolean);
  /** The how manieth of them since it was asked for, from 1; the first unless given, all with `every`. Reruns do not count. */
  readonly nth?: number | "every";
  readonly fault: Fault;
}

/** An instruction at work. */
export interface ScriptedFault {
  /** How many calls it has struck. */
  readonly injections: number;
}

interface ActiveInstruction extends ScriptedFault {
  readonly instruction: Instruction;
  seen: number;
  injections: number;
}

/** Says which calls of a storage fail; can be changed at any time. Instructions are asked in the order in which they were given. */
export class FaultScript {
  private active: ActiveInstruction[] = [];
  private readonly recordings = new Set<Call[]>();

  add(instruction: Instruction): ScriptedFault {
    const active = { instruction, seen: 0, injections: 0 };
    this.active.push(active);
    return active;
  }

  /** Forgets all instructions: from now on nothing fails. */
  clear(): void {
    this.active = [];
  }

  /** The calls that are made while the work is done, in the order in which they begin. */
  async record(work: () => Promise<unknown>): Promise<readonly Call[]> {
    const calls: Call[] = [];
    this.recordings.add(calls);
    try {
      await work();
    } finally {
      this.recordings.delete(calls);
    }
    return calls;
  }

  /** The fault that strikes this call; asked once for every call. */
  inject(call: Call): Fault | undefined {
    for (const calls of this.recordings) calls.push(call);
    let injected: Fault | undefined;
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

  /** Remembers how many calls were seen; what it returns takes that back, for a unit that runs again. */
  mark(): () => void {
    const marked = this.active.map((active) => [active, active.seen] as const);
    return () => {
      for (const [active, seen] of marked) active.seen = seen;
    };
  }
}

function isDue({ instruction: { nth = 1, fault }, seen, injections }: ActiveInstruction): boolean {
  if (nth === "every") return true;
  return seen === nth && injections < (fault.kind === "conflict" ? fault.times : 1);
}
