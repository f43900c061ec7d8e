import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in writes and transactions. */
export const caughtTransactions: readonly ExactlyCaught[] = [
  {
    fault: "checks the version before it writes",
    sections: ["objects"],
    checks: [
      "refuses to update objects that the writer cannot see with 304, all or nothing",
      "accepts one of several concurrent updates of the same version",
    ],
  },
  {
    fault: "ignores the expected version of a secret",
    sections: ["accounts"],
    checks: [
      "keeps a secret if the expected version does not match",
      "stores one secret when concurrent calls replace the same version",
    ],
  },
  {
    fault: "shows the writes of an open transaction",
    sections: ["transactions"],
    checks: ["hides the writes of an open transaction from others"],
  },
  {
    fault: "commits failed transactions",
    sections: ["transactions"],
    checks: [
      "rolls back all writes if the work throws",
      "hides the writes of an open transaction from others",
      "leaves no effects on later transactions after many failures",
      "runs concurrent transactions, each as a whole",
    ],
  },
  {
    fault: "commits the work and runs it again",
    sections: ["transactions"],
    checks: [
      "commits all writes and returns the result of the work",
      "continues after an outcome that is not an error",
      "runs concurrent transactions, each as a whole",
      "loses no concurrent increment of a counter",
      "retries deadlocked transactions without duplicate effects",
    ],
  },
  {
    fault: "leaks a connection with every failed transaction",
    sections: ["transactions"],
    checks: [
      "leaves no effects on later transactions after many failures",
      "runs concurrent transactions, each as a whole",
    ],
  },
  {
    fault: "ignores nested transactions",
    sections: ["nested transactions"],
    checks: [
      "rolls back a nested transaction that throws and continues the outer one",
      "repeats a rolled-back nested transaction",
      "rethrows the errors of nested transactions unchanged",
      "rolls back each level of nested transactions separately",
      "rolls back inner transactions with their outer nested transaction",
      "runs any number of nested transactions in sequence",
      "rolls back a nested transaction if any of its calls is refused",
      "reports the changes of committed nested transactions once",
    ],
  },
  {
    fault: "does not roll back nested transactions inside others",
    sections: ["nested transactions"],
    checks: ["rolls back each level of nested transactions separately"],
  },
  {
    fault: "keeps the writes of a nested transaction before a refused call",
    sections: ["nested transactions"],
    checks: [
      "rethrows the errors of nested transactions unchanged",
      "rolls back a nested transaction if any of its calls is refused",
    ],
  },
  {
    fault: "wraps the errors of nested transactions",
    sections: ["nested transactions"],
    checks: [
      "rethrows the errors of nested transactions unchanged",
      "runs any number of nested transactions in sequence",
      "rolls back a nested transaction if any of its calls is refused",
      "rethrows the errors of calls unchanged",
    ],
  },
  {
    fault: "keeps nested transactions of a failed transaction",
    sections: ["nested transactions", "transactions"],
    checks: [
      "rolls back committed nested transactions if the outer one fails",
      "hides the writes of a nested transaction from others until the outer commit",
    ],
  },
  {
    fault: "commits the calls of a batch one by one",
    sections: ["batches"],
    checks: [
      "rolls back a batch if any of its calls fails",
      "rolls back a batch with a failed call even if the work ignores the failure",
      "refuses batch calls after the first answer",
      "enforces a limit exactly across concurrent batches and rolls back refused ones",
    ],
  },
];
