import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in indexes and the storage as a whole. */
export const caughtStorages: readonly ExactlyCaught[] = [
  {
    fault: "never takes an index away",
    sections: ["indexes"],
    checks: ["are taken away when they are not wanted any more", "stay when they are wanted again"],
  },
  {
    fault: "goes on after it is closed",
    sections: ["lifecycle"],
    checks: [
      "can be closed without ever being migrated",
      "answers 706 to every call after it is closed",
      "can be closed twice, one after the other and at once",
      "lets what runs come to its end before it is closed",
      "refuses with 706 as soon as closing has begun",
    ],
  },
  {
    fault: "does not wait for what runs",
    sections: ["lifecycle"],
    checks: ["lets what runs come to its end before it is closed"],
  },
  {
    fault: "remembers whom it has admitted",
    sections: ["several processes"],
    checks: [
      "accept no session that another one has ended, from the very next request",
      "see at once what another one has switched",
    ],
  },
  {
    fault: "keeps locks to itself",
    sections: ["several processes"],
    checks: ["change one version of an object once, and lock it once, together"],
  },
  { fault: "has a clock of its own", sections: ["several processes"], checks: ["share one clock"] },
  {
    fault: "keeps nothing, but declares to be durable",
    sections: ["durability"],
    checks: [
      "is healthy when it is opened again, without another migration",
      "keeps everything that was answered",
      "goes on with its numbers",
    ],
  },
  { fault: "leaves a capability out", sections: ["capabilities"], checks: ["are declared, each of them"] },
];
