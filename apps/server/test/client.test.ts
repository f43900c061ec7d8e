import { Applications } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { clientSuite } from "./client-suite.ts";
import { onEngines } from "./engines.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { repositoriesOf } from "./password-suite.ts";
import { publicLogInSuite } from "./public-clients/log-in-suite.ts";
import { publicObjectSuite } from "./public-clients/object-suite.ts";
import { publicSessionSuite } from "./public-clients/session-suite.ts";

onEngines("the client", clientSuite, { environment: macroEnvironment });

const environment = {
  ...macroEnvironment,
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  PLAIN_AFTER_SECURE_LOGIN: "true",
  // Refused log-ins are many here, and all from one address.
  THROTTLE_IP_MAX_FAILURES: "10000",
  THROTTLE_USER_MAX_FAILURES: "10000",
};

/** All that public clients are known to send, on one server. */
function publicClientSuite(server: () => RunningServer, missing: 200 | 204 = 200): void {
  beforeAll(() =>
    new Applications(repositoriesOf(server()).records).create({
      name: "public-forced",
      seats: null,
      secondFactor: "forced",
    }),
  );

  describe("logging in", () => {
    publicLogInSuite(server);
  });
  describe("their sessions", () => {
    publicSessionSuite(server, missing);
  });
  describe("their objects and macros", () => {
    publicObjectSuite(server);
  });
}

onEngines("public clients", (server) => publicClientSuite(server), { environment });

onEngines(
  "public clients of a server that calls all missing credentials 204",
  (server) => publicClientSuite(server, 204),
  {
    environment: { ...environment, MISSING_CREDENTIAL: "204" },
    on: ["memory"],
  },
);
