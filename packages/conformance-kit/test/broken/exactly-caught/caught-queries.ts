import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in reading objects and in queries. */
export const caughtQueries: readonly ExactlyCaught[] = [
  {
    fault: "throws the driver error",
    sections: ["objects"],
    checks: [
      "refuses a duplicate UUID with 307, all or nothing",
      "refuses the same UUID twice in one call with 307",
      "creates one object when concurrent calls use the same UUID",
      "refuses writes under an outdated or future model generation",
      "refuses links to unknown objects with 307, all or nothing",
      "refuses to create an oversized object with 801, all or nothing",
    ],
  },
  {
    fault: "counts one object too few",
    sections: ["objects"],
    checks: [
      "assigns unique IDs and UUIDs in concurrent calls",
      "creates one object when concurrent calls use the same UUID",
      "lists objects of exactly the requested classes",
      "lists objects once if their class is requested twice",
      "reads large numbers of objects",
      "counts visible objects",
      "treats hostile class names and principals literally",
      "changes exactly the given attributes",
      "shows an object to its new readers only, immediately",
      "counts objects correctly during concurrent and rolled-back changes of readers",
      "keeps the readers if the change is refused, all or nothing",
    ],
  },
  {
    fault: "begins later pages one object too late",
    sections: ["objects"],
    checks: [
      "lists objects in pages without gaps or duplicates",
      "returns an empty page beyond the end and for a limit of zero",
      "fills pages with visible objects only",
      "refuses to list a page beyond the byte limit",
      "refuses to list a distant page beyond the byte limit",
    ],
  },
  {
    fault: "begins a sorted page one object too late",
    sections: ["queries"],
    checks: ["returns sorted pages without gaps or duplicates", "returns positions with visible values only"],
  },
  {
    fault: "returns the object of the position again",
    sections: ["queries"],
    checks: [
      "continues after a position without gaps or duplicates",
      "continues after a position whose object no longer exists",
    ],
  },
  {
    fault: "compares texts by locale",
    sections: ["queries"],
    checks: ["compares texts by code points", "compares long texts by their whole length"],
  },
  {
    fault: "sorts texts by locale",
    sections: ["queries"],
    checks: [
      "sorts texts by code points",
      "sorts missing and null values before all texts",
      "sorts long texts by their whole length",
      "returns sorted pages without gaps or duplicates",
      "continues after a position without gaps or duplicates",
      "sorts by visible values only",
      "returns positions with visible values only",
    ],
  },
  { fault: "compares numbers as texts", sections: ["queries"], checks: ["compares numbers"] },
  {
    fault: "treats null as missing",
    sections: ["queries"],
    checks: [
      "distinguishes texts",
      "distinguishes long texts",
      "distinguishes numbers",
      "distinguishes booleans",
      "distinguishes dates",
      "distinguishes JSON values regardless of member order",
      "distinguishes empty collections from others",
      "treats meta-fields as always present",
      "treats unresolved references as empty",
    ],
  },
  {
    fault: "stores null as absent",
    sections: ["objects"],
    checks: [
      "distinguishes empty, null and absent values",
      "refuses writes under an outdated or future model generation",
      "creates objects with links to existing objects",
    ],
  },
];
