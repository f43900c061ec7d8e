import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in changes, channels, sessions, locks and accounts. */
export const caughtSessions: readonly ExactlyCaught[] = [
  {
    fault: "stamps changes from a plain sequence",
    sections: ["changes"],
    checks: [
      "never adds changes below a watermark that was read during an open transaction",
      "gives a follower every change once during concurrent writes",
    ],
  },
  {
    fault: "reports rolled-back changes",
    sections: ["changes"],
    checks: [
      "hides changes of rolled-back transactions without delaying others",
      "gives a follower every change once during concurrent writes",
    ],
  },
  {
    fault: "returns the time of the process",
    sections: ["time"],
    checks: [
      "moves with the offset of the clock",
      "uses the same clock for everything that is stored",
      "returns the current time inside transactions, too",
    ],
  },
  {
    fault: "counts concurrent registrations as one",
    sections: ["channels"],
    checks: [
      "accepts the blocks from one of several concurrent clients",
      "counts every use of a block in concurrent registrations",
      "accepts messages with shared blocks only as a whole, from one client",
    ],
  },
  {
    fault: "reserves the same numbers for concurrent callers",
    sections: ["channels"],
    checks: ["reserves 10,000 numbers for four concurrent callers without duplicates"],
  },
  {
    fault: "accepts a message number accepted by another process",
    sections: ["several processes"],
    checks: ["assigns and accepts every channel number once across processes"],
  },
  {
    fault: "counts sessions before it opens one",
    sections: ["sessions"],
    checks: [
      "opens one of several concurrent sessions at the last free slot",
      "fills all free slots exactly across concurrent calls",
      "enforces the limits of several users and of the database in concurrent calls",
      "enforces the limit exactly while sessions are ended concurrently",
      "enforces the limit exactly after all kinds of session changes",
      "replaces a session of a device at a full limit without using another slot",
      "replaces a session of the same device at a full limit, and none of other devices",
      "replaces sessions of a device at a full limit during concurrent openings by others",
      "replaces the session of a device regardless of the authentication methods",
      "refuses an old basis before full seats and limits",
    ],
  },
  {
    fault: "marks a session as ended and ends it later",
    sections: ["admission"],
    checks: ["admits no ended session, starting with the next request"],
  },
  {
    fault: "checks a lock before it takes it",
    sections: ["locks"],
    checks: ["gives a lock to one of several concurrent sessions"],
  },
  {
    fault: "accepts writes without a session to locked objects",
    sections: ["locks"],
    checks: ["refuses writes to locked objects without the right session with 713, all or nothing"],
  },
  {
    fault: "checks whether a name is free before it creates an app key",
    sections: ["app keys"],
    checks: [
      "refuses a duplicate digest without changes",
      "creates one app key when concurrent calls use the same name",
    ],
  },
  {
    fault: "removes the last administrator",
    sections: ["accounts"],
    checks: [
      "refuses to remove the last enabled administrator",
      "removes accounts from a database without an administrator",
      "keeps one administrator when two concurrent calls remove each other's account",
      "keeps all data of the last administrator when it refuses the removal",
    ],
  },
  {
    fault: "keeps the link as it was when the session was opened",
    sections: ["sessions"],
    checks: ["returns the current state of the link that opened a session"],
  },
  {
    fault: "ignores the expected version of a custom account secret",
    sections: ["custom accounts"],
    checks: ["keeps a secret if the expected version does not match (custom accounts)"],
  },
];
