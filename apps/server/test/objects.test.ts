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
  ["that are written", writeSuite],
  ["that are too large", boundSuite],
  ["whose class changes", classSuite],
  ["that are deleted", deletionSuite],
  ["in multi requests", multiSuite],
  ["with readers of their own", readersSuite],
  ["behind rights on classes", rightsSuite],
  ["behind rights on attributes", attributeRightsSuite],
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
