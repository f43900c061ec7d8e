import type { RunningServer } from "../src/index.ts";
import { attributeRightsSuite } from "./attribute-rights-suite.ts";
import { authenticatorSuite } from "./authenticator-suite.ts";
import { boundEnvironment, boundSuite } from "./bound-suite.ts";
import { classSuite } from "./class-suite.ts";
import { clientSuite } from "./client-suite.ts";
import { customPasswordEnvironment, customPasswordSuite } from "./custom-password-suite.ts";
import { customUserEnvironment, customUserSuite } from "./custom-user-suite.ts";
import { departureSuite } from "./departure-suite.ts";
import { multiSuite } from "./multi-suite.ts";
import { macroEnvironment, macroSuite } from "./macro-suite.ts";
import { passwordSuite } from "./password-suite.ts";
import { readersSuite } from "./readers-suite.ts";
import { rightsSuite } from "./rights-suite.ts";
import { secureSuite } from "./secure/secure-suite.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";
import { sessionSuite } from "./session-suite.ts";
import { writeSuite } from "./write-suite.ts";

type Suite = (server: () => RunningServer) => void;

const suites: Readonly<Record<string, Suite>> = {
  sessions: sessionSuite,
  "the client": clientSuite,
  writing: writeSuite,
  "bounds of answers": boundSuite,
  classes: classSuite,
  "custom users": customUserSuite,
  "passwords of custom users": customPasswordSuite,
  "a hook that knows custom users": authenticatorSuite,
  deleting: departureSuite,
  "multi requests that write": multiSuite,
  macros: macroSuite,
  passwords: passwordSuite,
  readers: readersSuite,
  rights: rightsSuite,
  "rights on attributes": attributeRightsSuite,
  "token mode and secure mode": secureSuite,
};

/** What a server has to be started with for all of it. */
export const serverSuiteEnvironment: Readonly<Record<string, string>> = {
  ...storedServerKeys,
  ...boundEnvironment,
  ...customPasswordEnvironment,
  ...customUserEnvironment,
  ...macroEnvironment,
  // Failures in one mode must not lock out the next.
  THROTTLE_ADDRESS_FREE_FAILURES: "1000",
};

/** Everything that an engine must show besides the black-box suite, and that looks into the server. On Postgres each has a file. */
export const serverSuite: Suite = (server) => {
  for (const [name, suite] of Object.entries(suites)) {
    describe(name, () => {
      suite(server);
    });
  }
};
