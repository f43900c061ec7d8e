import { logInCases } from "./cases/log-in-cases.ts";
import { runCases } from "./cases/run-cases.ts";
import { sessionCases } from "./cases/session-cases.ts";
import { demoSuite } from "./demo-suite.ts";
import { engines, onEngines, testedEngines } from "./engines.ts";
import { macroEnvironment } from "./macro-suite.ts";
import { modes, testedModes } from "./modes.ts";
import { sessionRoutesSuite } from "./session-routes-suite.ts";

onEngines("demo", demoSuite);

// The modes and engines without suites of their own in this run.
const otherModes = modes.filter((mode) => !testedModes.includes(mode));
const otherEngines = engines.filter((engine) => !testedEngines.includes(engine));

onEngines(
  "routes with a session",
  (server) => {
    describe.each(modes)("in mode %s", (mode) => {
      sessionRoutesSuite(server, mode);
    });

    describe("log-ins", () => {
      runCases(server, [...logInCases, ...sessionCases], otherModes);
    });
  },
  { environment: macroEnvironment },
);

onEngines(
  "routes with a session",
  (server) => {
    sessionRoutesSuite(server, "session");
  },
  { environment: macroEnvironment, on: otherEngines },
);
