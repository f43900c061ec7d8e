import type { Repositories } from "@sallyport/core";
import type { Fault } from "./fault.ts";

type Methods<R> = { [M in keyof R]: R[M] extends (...given: never[]) => Promise<unknown> ? M : never }[keyof R] &
  string;

/** The storage's own calls, and `commit`: the end of a transaction whose work was done. */
export type OwnCall =
  | "transaction"
  | "commit"
  | "together"
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
  readonly within: "itself" | "transaction" | "together";
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
  readonly strikes: number;
}

interface Entry extends ScriptedFault {
  readonly instruction: Instruction;
  seen: number;
  strikes: number;
}

/** Says which calls of a storage fail; can be changed at any time. Instructions are asked in the order in which they were given. */
export class FaultScript {
  private entries: Entry[] = [];
  private readonly recordings = new Set<Call[]>();

  add(instruction: Instruction): ScriptedFault {
    const entry = { instruction, seen: 0, strikes: 0 };
    this.entries.push(entry);
    return entry;
  }

  /** Forgets all instructions: from now on nothing fails. */
  clear(): void {
    this.entries = [];
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
  strike(call: Call): Fault | undefined {
    for (const calls of this.recordings) calls.push(call);
    let struck: Fault | undefined;
    for (const entry of this.entries) {
      const { instruction } = entry;
      if (!(typeof instruction.call === "string" ? instruction.call === call.name : instruction.call(call))) continue;
      entry.seen += 1;
      if (struck !== undefined || !isDue(entry)) continue;
      entry.strikes += 1;
      struck = instruction.fault;
    }
    return struck;
  }

  /** Remembers how many calls were seen; what it returns takes that back, for a unit that runs again. */
  mark(): () => void {
    const marked = this.entries.map((entry) => [entry, entry.seen] as const);
    return () => {
      for (const [entry, seen] of marked) entry.seen = seen;
    };
  }
}

function isDue({ instruction: { nth = 1, fault }, seen, strikes }: Entry): boolean {
  if (nth === "every") return true;
  return seen === nth && strikes < (fault.kind === "conflict" ? fault.times : 1);
}
