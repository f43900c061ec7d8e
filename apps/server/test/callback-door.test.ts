import { callbackEnvironment, callbackSuite } from "./doors/callback-suite.ts";
import { onEngines } from "./engines.ts";
import { openProviderStage, type ProviderStage } from "./providers/provider-stage.ts";

let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
});
afterAll(() => stage.close());

onEngines("the callback of providers", (server) => callbackSuite(server, () => stage), {
  environment: callbackEnvironment,
  content: () => stage.content,
});
