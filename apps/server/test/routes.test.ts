import { runCases } from "./cases/run-cases.ts";
import { sampledCases } from "./cases/sampled-cases.ts";
import { demoSuite } from "./demo-suite.ts";
import { engines, onEngines, testedEngines } from "./engines.ts";
import { modes, testedModes } from "./modes.ts";
import { isFullRun } from "./scope.ts";

onEngines("the demo", demoSuite);

// The full run tries all cases in every mode and on every engine.
if (isFullRun) test.todo("samples of routes are among all cases");
else {
  const otherModes = modes.filter((mode) => !testedModes.includes(mode));
  onEngines("routes in the other modes", (server) => runCases(server, sampledCases, otherModes));

  const otherEngines = engines.filter((engine) => !testedEngines.includes(engine));
  onEngines("routes", (server) => runCases(server, sampledCases, testedModes), { on: otherEngines });
}
