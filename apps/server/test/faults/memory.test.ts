import { faultSuite } from "./fault-suite.ts";
import { itemsSuite } from "./items-suite.ts";
import { openStage, type Stage } from "./stage.ts";

describe("a server in memory whose storage fails", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage("memory");
  }, 180_000);
  afterAll(() => stage.close());

  faultSuite(() => stage);
  itemsSuite(() => stage);
});
