import { digestOf, newSession, openPolicy } from "./sample.ts";
import { channel, sharedChannelSuite } from "./processes-suite.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";
import type { KnexStorage } from "../src/index.ts";

describe("secure sessions of several processes", () => {
  let database: TestDatabase;
  let storage: KnexStorage;

  beforeAll(async () => {
    database = await openTestDatabase();
    storage = database.storage();
    await storage.migrate();
  }, startTimeout);
  afterAll(() => database.drop());

  const open = async (name: string, changes: object = {}) => {
    const session = newSession(name, { mode: "secure", channel, ...changes });
    await storage.repositories.sessions.open(session, openPolicy);
    return session.digest;
  };

  sharedChannelSuite(() => ({
    url: database.url,
    schema: "test",
    storage,
    unusedBlocks: async () => (await database.admin.query("select from test.cipher_blocks where uses = 0")).rows,
  }));

  test("leave no channel behind when they end, are swept or replaced", async () => {
    const names = ["ended", "of a device"];
    for (const name of names) await open(name, { deviceId: name });
    await storage.repositories.sessions.end({ digest: digestOf("ended") });
    for (let more = 0; more < openPolicy.perDevice; more += 1)
      await open(`of a device, ${more}`, { deviceId: "of a device" });
    expect(await storage.repositories.channels.reserveOut(digestOf("of a device"), 1)).toBeNull();
    const { rows } = await database.admin.query(
      "select encode(session, 'hex') as session from test.channels where session <> all (array(select digest from test.sessions where mode = 'secure'))",
    );
    expect(rows).toEqual([]);
    await storage.repositories.sessions.end({ userId: "1" });
    expect((await database.admin.query("select count(*)::int as left from test.channels")).rows).toEqual([{ left: 0 }]);
  });

  test("write rows none of whose indexed columns changes", async () => {
    const { rows } = await database.admin.query(
      `select attname from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
      where indrelid = 'test.channels'::regclass`,
    );
    expect(rows).toEqual([{ attname: "session" }]);
  });
});
