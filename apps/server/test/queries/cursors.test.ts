import { startSeededServer } from "../demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { cursorSuite } from "./cursor-suite.ts";

describe("cursors in memory", () => {
  cursorSuite(async (environment) => [
    await startSeededServer([{ engine: "memory" }, { engine: "memory" }], environment),
  ]);
});

describe("cursors on Postgres", () => {
  let postgres: PostgresFixture;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    await (await postgres.demo()).close();
  }, 60_000);
  afterAll(() => postgres.close());

  cursorSuite((environment) => {
    const databases = [{ alias: "", storage: { engine: "postgres", url: postgres.url, schema: "sallyport_demo" } }];
    return Promise.all([1, 2].map(() => postgres.configured({ databases }, environment)));
  });
});
