import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { faultSuite } from "./fault-suite.ts";
import { itemsSuite } from "./items-suite.ts";
import { openStage, type Stage } from "./stage.ts";

describe("a server on Postgres whose storage fails", () => {
  let postgres: PostgresFixture;
  let stage: Stage;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    stage = await openStage({ databaseUrl: postgres.url });
  }, 180_000);
  afterAll(async () => {
    await stage.close();
    await postgres.close();
  });

  faultSuite(() => stage);
  itemsSuite(() => stage);
});
