import type { ExactlyCaught } from "./exactly-caught.ts";

/** Faults in reading objects and in queries. */
export const caughtQueries: readonly ExactlyCaught[] = [
  {
    fault: "lets the driver's error out",
    sections: ["objects"],
    checks: [
      "are refused with 307 when their UUID is in use, all or nothing",
      "are refused with 307 when two of them want one UUID",
      "are created once when several with one UUID are created at once",
      "are not written under a model that is no longer current, nor under one that is not yet",
      "are refused with 307 links to nothing, all or nothing",
      "are not created with 801 when they are too large, all or nothing",
    ],
  },
  {
    fault: "counts one less",
    sections: ["objects"],
    checks: [
      "have ids and UUIDs of their own when they are created at once",
      "are created once when several with one UUID are created at once",
      "are listed by exactly the classes asked for",
      "are listed once though their class is asked for twice",
      "are read in large numbers",
      "are counted as far as they are visible",
      "take hostile names of classes and principals for what they are",
      "are changed in the attributes that are set, and in no other",
      "are seen by their new readers at once, and by no one else",
      "are counted rightly while readers come and go, at once and in transactions that are taken back",
      "keep their readers when the change is refused, all or nothing",
    ],
  },
  {
    fault: "begins later pages one too late",
    sections: ["objects"],
    checks: [
      "are listed in pages that fit together without gap or overlap",
      "are none on a page beyond the end or without a length",
      "leave no gaps in pages where they are not visible",
      "are not listed when the page takes more bytes than wanted",
      "are not listed far from the beginning when the page takes more bytes than wanted",
    ],
  },
  {
    fault: "begins an ordered page one too late",
    sections: ["queries"],
    checks: [
      "order in pages that fit together without gap or overlap",
      "tell positions of what is visible, and of nothing else",
    ],
  },
  {
    fault: "repeats the object of the position",
    sections: ["queries"],
    checks: [
      "go on behind a position without gap or overlap",
      "go on behind a position though its object is no longer there",
    ],
  },
  {
    fault: "compares texts as a dictionary does",
    sections: ["queries"],
    checks: ["compare texts by code points", "compare long texts to their end"],
  },
  {
    fault: "orders as a dictionary does",
    sections: ["queries"],
    checks: [
      "order texts by code points",
      "order missing and null before all texts",
      "order long texts to their end",
      "order in pages that fit together without gap or overlap",
      "go on behind a position without gap or overlap",
      "order by what is visible, and by nothing else",
      "tell positions of what is visible, and of nothing else",
    ],
  },
  { fault: "compares numbers as texts", sections: ["queries"], checks: ["compare numbers"] },
  {
    fault: "takes null for missing",
    sections: ["queries"],
    checks: [
      "tell texts apart",
      "tell long texts apart",
      "tell numbers apart",
      "tell true and false apart",
      "tell dates apart",
      "tell JSON apart, but not by the order of members",
      "know which collections are empty",
      "know that meta-fields are always there",
      "take references that lead nowhere for empty",
    ],
  },
  {
    fault: "takes null for absent",
    sections: ["objects"],
    checks: [
      "tell empty, null and absent apart",
      "are not written under a model that is no longer current, nor under one that is not yet",
      "are created with links to objects that are there",
    ],
  },
];
