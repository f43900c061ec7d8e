import { onEngines } from "../engines.ts";
import { Mailbox } from "../mailbox.ts";
import { linkMailSuite } from "./link-mail-suite.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "./provider-stage.ts";

const mailbox = new Mailbox();
let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
  await mailbox.open();
});
afterAll(async () => {
  await mailbox.close();
  await stage.close();
});

onEngines(
  "mail of new links",
  (server) =>
    linkMailSuite(
      server,
      () => stage,
      () => mailbox,
    ),
  {
    environment: () => ({ ...stageEnvironment, ...mailbox.environment }),
    content: () => stage.content,
  },
);
