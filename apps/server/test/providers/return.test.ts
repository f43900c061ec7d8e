import type { RunningServer } from "../../src/index.ts";
import { onEngines } from "../engines.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "./provider-stage.ts";
import { returnSuite } from "./return-suite.ts";

let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
});
afterAll(() => stage.close());

onEngines(
  "log-ins at providers that return to an app",
  (_server, { servers }) =>
    returnSuite(
      () => servers() as [RunningServer, RunningServer],
      () => stage,
    ),
  {
    environment: stageEnvironment,
    content: () => stage.content,
    count: 2,
  },
);
