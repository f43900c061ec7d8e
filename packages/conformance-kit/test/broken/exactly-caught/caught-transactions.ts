import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in writing and in transactions. */
export const caughtTransactions: readonly ExactlyCaught[] = [
  {
    fault: "looks at the version before it writes",
    sections: ["objects"],
    checks: [
      "are refused with 304 when they are not visible to the one who writes, all or nothing",
      "are changed by one of those who expect the same version at once",
    ],
  },
  {
    fault: "stores whatever secret comes last",
    sections: ["accounts"],
    checks: [
      "leave a secret alone whose version is not the one expected",
      "store one secret of those that replace the same version at once",
    ],
  },
  {
    fault: "shows the work of an open transaction to everybody",
    sections: ["transactions"],
    checks: ["do not show their work to others before it is kept"],
  },
  {
    fault: "keeps the work of a transaction that fails",
    sections: ["transactions"],
    checks: [
      "keep nothing of their work if it throws",
      "do not show their work to others before it is kept",
      "leave nothing behind for those that follow, however many fail",
      "run side by side, each whole",
    ],
  },
  {
    fault: "keeps the work and runs it again",
    sections: ["transactions"],
    checks: [
      "keep all of their work and hand on its result",
      "go on after an outcome that is no error",
      "run side by side, each whole",
      "lose no change of those that count up one value at once",
      "that block one another are run again, without doing anything twice",
    ],
  },
  {
    fault: "loses a connection with every transaction that fails",
    sections: ["transactions"],
    checks: ["leave nothing behind for those that follow, however many fail", "run side by side, each whole"],
  },
  {
    fault: "takes parts for nothing of their own",
    sections: ["parts of transactions"],
    checks: [
      "leave nothing of what they wrote if they throw, and the transaction goes on",
      "can be done again as if they had never been",
      "let their errors out unchanged",
      "nest, and each is undone by itself",
      "are undone with the one that they are parts of",
      "follow one another as often as wanted",
      "leave nothing behind when a call of theirs is refused, whichever it is",
      "are told among the changes once, if they are kept",
    ],
  },
  {
    fault: "undoes no part within another one",
    sections: ["parts of transactions"],
    checks: ["nest, and each is undone by itself"],
  },
  {
    fault: "keeps what a part did before a call of it was refused",
    sections: ["parts of transactions"],
    checks: [
      "let their errors out unchanged",
      "leave nothing behind when a call of theirs is refused, whichever it is",
    ],
  },
  {
    fault: "wraps the errors of parts",
    sections: ["parts of transactions"],
    checks: [
      "let their errors out unchanged",
      "follow one another as often as wanted",
      "leave nothing behind when a call of theirs is refused, whichever it is",
      "let the errors of calls out as they are",
    ],
  },
  {
    fault: "keeps the parts of a transaction that fails",
    sections: ["parts of transactions", "transactions"],
    checks: [
      "are undone with a transaction that fails after them",
      "do not show their work to others before the transaction is kept",
    ],
  },
  {
    fault: "keeps what is asked for together one by one",
    sections: ["batches"],
    checks: [
      "are undone when one is refused, whichever it is",
      "are undone also when the work does not mind the refusal",
      "are not asked for later",
      "keep a limit exactly when many come at once, and leave nothing behind of the others",
    ],
  },
];
