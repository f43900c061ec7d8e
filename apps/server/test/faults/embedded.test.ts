import { faultSuite } from "./fault-suite.ts";
import { itemsSuite } from "./items-suite.ts";
import { openStage, type Stage } from "./stage.ts";

describe("a server on the embedded engine whose storage fails", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage("embedded");
  }, 180_000);
  afterAll(() => stage.close());

  faultSuite(() => stage);
  itemsSuite(() => stage);
});
