import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { isFullRun } from "../scope.ts";
import { faultSuite } from "./fault-suite.ts";
import { itemsSuite } from "./items-suite.ts";
import { openStage, type Stage } from "./stage.ts";

// Faults are injected above the storage, so that one engine shows what the server makes of them; `real-faults.test.ts` has those of a Postgres.
const engines = isFullRun ? (["memory", "embedded", "Postgres"] as const) : (["memory"] as const);

describe.each(engines)("a server whose storage fails, with storage %s", (engine) => {
  let postgres: PostgresFixture | undefined;
  let stage: Stage;
  beforeAll(async () => {
    if (engine === "Postgres") postgres = await openPostgresFixture({ empty: true });
    stage = await openStage(engine === "Postgres" ? { databaseUrl: postgres?.url ?? "" } : engine);
  }, 180_000);
  afterAll(async () => {
    await stage.close();
    await postgres?.close();
  });

  faultSuite(() => stage);
  itemsSuite(() => stage);
});
