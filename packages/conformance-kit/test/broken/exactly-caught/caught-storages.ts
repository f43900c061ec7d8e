import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in indexes, macros and the storage as a whole. */
export const caughtStorages: readonly ExactlyCaught[] = [
  {
    fault: "never takes an index away",
    sections: ["indexes"],
    checks: ["are taken away when they are not wanted any more", "stay when they are wanted again"],
  },
  {
    fault: "looks at the version of a macro, then stores",
    sections: ["macros"],
    checks: [
      "are stored by one of those who expect the same version at once",
      "are changed after those who change them in a transaction",
    ],
  },
  {
    fault: "counts versions anew after a removal",
    sections: ["macros"],
    checks: ["are gone when they were removed, and their history is not"],
  },
  {
    fault: "does not count removals",
    sections: ["macros", "admission"],
    checks: [
      "raise the generation by one with each change, which admission shows",
      "are removed by one of those who remove them at once",
      "are changed by transactions as a whole, or not at all",
    ],
  },
  {
    fault: "reads the generation, then the macros",
    sections: ["macros"],
    checks: ["are loaded with the generation as of one moment"],
  },
  {
    fault: "keeps macros of transactions that fail",
    sections: ["macros"],
    checks: [
      "are changed by transactions as a whole, or not at all",
      "are changed after those who change them in a transaction",
    ],
  },
  {
    fault: "carries the macros that are there",
    sections: ["archive"],
    checks: [
      "holds macros with everything that they were, in the order in which they were changed",
      "is the same when it was imported and is exported again",
      "is one at a time",
    ],
  },
  {
    fault: "remembers the macros that it has loaded",
    sections: ["macros"],
    checks: [
      "raise the generation by one with each change, which admission shows",
      "are changed by transactions as a whole, or not at all",
      "of several processes are the same",
    ],
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
