import { isFullRun } from "@sallyport/test-kit/scope";
import { type Call, type Fault, faults, Latch } from "@sallyport/testing/faults";

/** The position of a call relative to the one that completes the write. */
export type Place = "before" | "at" | "behind";

export interface Outcome {
  readonly code: number;
  readonly state: "absent" | "whole";
}

/** A kind of fault, with the answer and the state after it. */
export interface Row {
  readonly title: string;
  /** A new one for every use. */
  readonly fault: () => Fault;
  readonly outcome: (call: Call, place: Place) => Outcome;
  /** Calls that it does not apply to. */
  readonly leavesOut?: (call: Call) => boolean;
  /** The server treats it like another kind, up to the code. */
  readonly isAlike?: true;
  /** The storage refuses the call: the code is that of what was being done. */
  readonly isRefusal?: true;
}

const done: Outcome = { code: 0, state: "whole" };

/** The call is refused: nothing is kept, except earlier writes. */
const refused =
  (code: number) =>
  (_call: Call, place: Place): Outcome => ({ code, state: place === "behind" ? "whole" : "absent" });

const belongsToTransaction = ({ name, within }: Call) =>
  name === "transaction" || (within === "transaction" && name !== "commit");

const elementsOf = ({ args: [list] }: Call) => (Array.isArray(list) ? list.length : 0);

/** The kinds of faults at the call with this index: all in the full run, else those unlike others, and one of the others in turn. */
export function faultsAt(index: number): readonly Row[] {
  if (isFullRun) return faultTable;
  const alike = faultTable.filter(({ isAlike }) => isAlike === true);
  return faultTable.filter((row) => row.isAlike !== true || row === alike[index % alike.length]);
}

/** All kinds of faults. */
const faultTable: readonly Row[] = [
  { title: "lost before", isAlike: true, fault: () => faults.lostBefore, outcome: refused(704) },
  {
    title: "lost during",
    fault: () => faults.lostDuring,
    outcome: (_call, place) => ({ code: 704, state: place === "before" ? "absent" : "whole" }),
  },
  {
    title: "lost after",
    fault: () => faults.lostAfter,
    outcome: (call, place) => {
      if (belongsToTransaction(call) || (call.within === "batch" && call.name !== "batch"))
        return { code: 704, state: place === "behind" ? "whole" : "absent" };
      return done;
    },
  },
  { title: "unreachable", isAlike: true, fault: () => faults.unreachable, outcome: refused(704) },
  { title: "no free connection", isAlike: true, fault: () => faults.poolExhausted, outcome: refused(607) },
  { title: "statement time-out", isAlike: true, fault: () => faults.timeout, outcome: refused(706) },
  { title: "lock time-out", isAlike: true, fault: () => faults.lockTimeout, outcome: refused(706) },
  { title: "conflict once", isAlike: true, fault: () => faults.conflict(1), outcome: () => done },
  { title: "conflict twice", isAlike: true, fault: () => faults.conflict(2), outcome: () => done },
  { title: "conflict three times", fault: () => faults.conflict(3), outcome: refused(706) },
  {
    title: "nothing of the list done",
    fault: () => faults.partial(0),
    outcome: refused(799),
    leavesOut: (call) => elementsOf(call) === 0,
  },
  {
    title: "part of the list done",
    fault: () => faults.partial(1),
    outcome: refused(799),
    leavesOut: (call) => elementsOf(call) < 2,
  },
  {
    title: "full disk",
    isAlike: true,
    isRefusal: true,
    fault: () => faults.diskFull,
    outcome: refused(706),
  },
  { title: "unexpected", isAlike: true, fault: () => faults.unexpected, outcome: refused(799) },
  { title: "driver error", isAlike: true, fault: () => faults.foreign, outcome: refused(799) },
  {
    title: "slow",
    isAlike: true,
    fault: () => {
      const latch = new Latch();
      latch.open();
      return faults.slow(latch);
    },
    outcome: () => done,
  },
];
