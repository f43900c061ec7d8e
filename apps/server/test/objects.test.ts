import { Applications } from "@sallyport/core";
import { isFullRun } from "@sallyport/test-kit/scope";
import type { RunningServer } from "../src/index.ts";
import { attributeRightsSuite } from "./attribute-rights-suite.ts";
import { boundEnvironment, boundSuite } from "./bound-suite.ts";
import { classSuite } from "./class-suite.ts";
import { compressionSuite } from "./compression-suite.ts";
import { clientFileSuite } from "./client-file-suite.ts";
import { clientSuite } from "./client-suite.ts";
import { deletionSuite } from "./deletion-suite.ts";
import { onEngines, testedEngines, withoutLockout } from "./engines.ts";
import { exactNumberSuite } from "./exact-number-suite.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { multiEnvironment, multiSuite } from "./multi-suite.ts";
import { repositoriesOf } from "./repositories-of.ts";
import { publicLogInSuite } from "./public-clients/log-in-suite.ts";
import { publicObjectSuite } from "./public-clients/object-suite.ts";
import { publicSessionSuite } from "./public-clients/session-suite.ts";
import { readersSuite } from "./readers-suite.ts";
import { rightsSuite } from "./rights-suite.ts";
import { userNameSuite } from "./user-name-suite.ts";
import { writeSuite } from "./write-suite.ts";

describe("objects", () => {
  const suites = [
    ["created and changed", writeSuite],
    ["at the size limit of answers", boundSuite],
    ["with a changing class", classSuite],
    ["deleted and restored", deletionSuite],
    ["in multi requests", multiSuite],
    ["with numbers", exactNumberSuite],
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
  onEngines("compressed objects", compressionSuite, {
    environment: { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") },
  });
  onEngines("names of users", userNameSuite, {
    count: 2,
    on: [...new Set([...testedEngines, "embedded" as const])],
  });
});

describe("client", () => {
  onEngines("client", clientSuite, { environment: macroEnvironment });
  onEngines("files of the client", clientFileSuite, { environment: withoutLockout, on: ["memory"] });

  const environment = {
    ...macroEnvironment,
    MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    PLAIN_AFTER_SECURE_LOGIN: "true",
    // The suite causes many refused log-ins from one address.
    THROTTLE_IP_MAX_FAILURES: "10000",
    THROTTLE_USER_MAX_FAILURES: "10000",
  };

  /** All known requests of public clients, on one server. */
  function publicClientSuite(server: () => RunningServer, missing: 200 | 204 = 200): void {
    beforeAll(() =>
      new Applications(repositoriesOf(server()).records).create({
        name: "public-forced",
        seats: null,
        secondFactor: "forced",
      }),
    );

    describe("sessions", () => {
      publicSessionSuite(server, missing);
    });
    // Only these differ when credentials are missing.
    if (missing === 204 && !isFullRun) return;
    describe("log-ins", () => {
      publicLogInSuite(server);
    });
    describe("objects and macros", () => {
      publicObjectSuite(server);
    });
  }

  onEngines("public clients", (server) => publicClientSuite(server), { environment });

  onEngines(
    "public clients of a server that answers all missing credentials with 204",
    (server) => publicClientSuite(server, 204),
    {
      environment: { ...environment, MISSING_CREDENTIAL: "204" },
      on: ["memory"],
    },
  );
});
