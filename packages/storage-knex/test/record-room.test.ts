import type { KnexStorage } from "../src/index.ts";
import { recordRoomSuite } from "./record-room-suite.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("the room of records on Postgres", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  beforeAll(async () => {
    database = await openTestDatabase();
    storage = database.storage();
    await storage.migrate();
  }, startTimeout);
  afterAll(() => database.drop());

  const connections = async () =>
    (
      (await database.admin.query("select current_setting('max_connections')::integer as most")).rows[0] as {
        most: number;
      }
    ).most;
  recordRoomSuite(() => ({ url: database.url, schema: "test", storage, connections }));
});
