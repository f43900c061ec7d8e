import type { BrokenAdapter } from "./broken-adapter.ts";
import { ChangeLog, sideBySide, soundly, type ChangeFeed } from "./side-by-side.ts";

const overlapping = [
  "never adds changes below a watermark that was read during an open transaction",
  "gives a follower every change once during concurrent writes",
];

const beside = "never adds changes below a watermark that another process read during an open transaction";

function withChanges(fault: string, caughtBy: readonly string[], changed: Partial<ChangeFeed>): BrokenAdapter {
  return { fault, caughtBy, create: (options) => sideBySide(options, { ...soundly, ...changed }) };
}

/** Faults in the stamps of overlapping transactions. */
export const brokenChanges: readonly BrokenAdapter[] = [
  withChanges("stamps changes from a plain sequence", [...overlapping, beside], {
    watermark: (log) => log.highestKept,
  }),

  withChanges(
    "stamps changes with the number of the transaction",
    ["gives the first write of a transaction a stamp above all watermarks so far"],
    { stamp: (_log, unit) => unit.begun },
  ),

  withChanges("stamps changes from a clock", overlapping, {
    stamp: (_log, unit) => ChangeLog.stampOf(unit) ?? Date.now(),
    watermark: () => Date.now(),
  }),

  withChanges(
    "stamps each object separately",
    ["gives the changes of one transaction the same stamp and shows them together"],
    {
      stamp: (log) => log.next(),
    },
  ),

  withChanges(
    "reports changes before the commit",
    [
      "gives the changes of one transaction the same stamp and shows them together",
      "hides the changes of a transaction from itself",
    ],
    { tells: "open work", watermark: (log) => log.highestKept },
  ),

  withChanges(
    "reports rolled-back changes",
    [
      "hides changes of rolled-back transactions without delaying others",
      "gives a follower every change once during concurrent writes",
    ],
    {
      tells: "rolled-back work",
    },
  ),
];
