import { attributeRightsSuite } from "./attribute-rights-suite.ts";
import { boundEnvironment, boundSuite } from "./bound-suite.ts";
import { classSuite } from "./class-suite.ts";
import { deletionSuite } from "./deletion-suite.ts";
import { onEngines, withoutLockout } from "./engines.ts";
import { multiEnvironment, multiSuite } from "./multi-suite.ts";
import { readersSuite } from "./readers-suite.ts";
import { rightsSuite } from "./rights-suite.ts";
import { writeSuite } from "./write-suite.ts";

const suites = [
  ["created and changed", writeSuite],
  ["at the size limit of answers", boundSuite],
  ["with a changing class", classSuite],
  ["deleted and restored", deletionSuite],
  ["in multi requests", multiSuite],
  ["with readers", readersSuite],
  ["with rights on classes", rightsSuite],
  ["with rights on attributes", attributeRightsSuite],
] as const;

onEngines(
  "objects",
  (server) => {
    describe.each(suites)("%s", (_title, suite) => {
      suite(server);
    });
  },
  { environment: { ...boundEnvironment, ...multiEnvironment, ...withoutLockout } },
);
