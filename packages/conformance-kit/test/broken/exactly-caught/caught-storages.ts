import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in indexes and in the storage as a whole. */
export const caughtStorages: readonly ExactlyCaught[] = [
  {
    fault: "never drops an index",
    sections: ["indexes"],
    checks: ["drops unwanted indexes", "keeps wanted indexes"],
  },
  {
    fault: "works after close",
    sections: ["lifecycle"],
    checks: [
      "closes without a previous migration",
      "answers 706 to every call after it is closed",
      "accepts repeated calls of close, sequential and concurrent",
      "completes running work before it closes",
      "refuses new calls with 706 as soon as it starts to close",
    ],
  },
  {
    fault: "does not wait for running work",
    sections: ["lifecycle"],
    checks: ["completes running work before it closes"],
  },
  {
    fault: "caches admissions in its process",
    sections: ["several processes"],
    checks: [
      "admits no session that another process has ended, starting with the next request",
      "sees the switches of another process immediately",
    ],
  },
  {
    fault: "keeps locks private to its process",
    sections: ["several processes"],
    checks: ["accepts one update of a version and one lock of an object across processes"],
  },
  { fault: "uses its own clock", sections: ["several processes"], checks: ["shares one clock across processes"] },
  {
    fault: "is not durable, but declares it",
    sections: ["durability"],
    checks: [
      "is healthy after it is reopened without another migration",
      "keeps every answered write after it is reopened",
      "continues its sequences after it is reopened",
    ],
  },
  { fault: "declares not every capability", sections: ["capabilities"], checks: ["declares every capability"] },
];
