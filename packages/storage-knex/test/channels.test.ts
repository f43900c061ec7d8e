import { digestOf, newSession, openPolicy } from "./sample.ts";
import { runWorkers } from "./processes/run-workers.ts";
import { openTestDatabase, processTimeout, startTimeout, type TestDatabase } from "./test-database.ts";
import type { KnexStorage } from "../src/index.ts";

describe("secure sessions of several processes", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  const channel = { wrappedKey: "wrapped", ivPrefix: Uint8Array.of(1, 2, 3) };

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

  test(
    "never share a number, and accept each once",
    async () => {
      const session = await open("numbers");
      const numbers = Array.from({ length: 60 }, (_, index) => (index * 13) % 60);
      const answers = (await runWorkers(
        database.url,
        "numberMessages",
        [1, 2, 3].map(() => ({ session, reservations: 40, numbers })),
      )) as {
        firsts: string[];
        fresh: number[];
      }[];
      const firsts = answers.flatMap((answer) => answer.firsts.map(Number)).toSorted((one, other) => one - other);
      expect(firsts).toEqual(Array.from({ length: 120 }, (_, index) => 7 * index));
      expect(answers.flatMap(({ fresh }) => fresh).toSorted((one, other) => one - other)).toEqual(
        numbers.toSorted((one, other) => one - other),
      );
    },
    processTimeout,
  );

  test(
    "give messages that share blocks to one client whole",
    async () => {
      const block = (name: number) => digestOf(`block ${name}`);
      // Neighbours share a block, and every other process goes through them backwards.
      const messages = Array.from({ length: 20 }, (_, index) => [
        block(2 * index),
        block(2 * index + 1),
        block((2 * index + 2) % 40),
      ]);
      const inputs = [0, 1, 2, 3].map((client) => ({
        clientKey: digestOf(`client ${client}`),
        messages: client % 2 === 0 ? messages : messages.toReversed().map((blocks) => blocks.toReversed()),
      }));
      const won = (await runWorkers(database.url, "claimBlocks", inputs)) as string[][][];
      const owners = new Map<string, number>();
      for (const [client, theirs] of won.entries()) {
        for (const each of theirs.flat()) expect(owners.set(each, owners.get(each) ?? client).get(each)).toBe(client);
      }
      expect(owners.size).toBeGreaterThan(0);
      const { rows } = await database.admin.query(
        "select encode(digest, 'hex') as digest, uses from test.cipher_blocks where uses = 0",
      );
      expect(rows).toEqual([]);
    },
    processTimeout,
  );

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
