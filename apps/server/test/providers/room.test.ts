import type { RunningServer } from "../../src/index.ts";
import { onEngines } from "../engines.ts";
import { openProviderStage, type ProviderStage } from "./provider-stage.ts";
import { roomEnvironment, roomSuite } from "./room-suite.ts";

let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
});
afterAll(() => stage.close());

onEngines(
  "log-ins under way at providers",
  (_server, { servers }) =>
    roomSuite(
      () => servers() as [RunningServer, RunningServer],
      () => stage,
    ),
  {
    environment: roomEnvironment,
    content: () => stage.content,
    count: 2,
  },
);
