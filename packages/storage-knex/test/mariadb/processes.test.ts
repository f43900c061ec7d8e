import type { RowDataPacket } from "mysql2";
import type { MariadbStorage } from "../../src/index.ts";
import { runWorkers } from "../processes/run-workers.ts";
import { codeOf, digestOf, newSession, openPolicy } from "../sample.ts";
import { processTimeout } from "../test-database.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("several processes on one MariaDB", () => {
  let server: TestMariadb;
  let database: string;
  let storage: MariadbStorage;
  let offset = 0;
  const channel = { wrappedKey: "wrapped", ivPrefix: Uint8Array.of(1, 2, 3) };

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    storage = await server.storage({ database, clockOffset: () => offset });
    await storage.migrate();
  }, processTimeout);
  beforeEach(async () => {
    offset = 0;
    for (const userId of ["1", "2"]) await storage.repositories.sessions.end({ userId });
  });
  afterAll(() => server.close());

  const workers = (task: string, inputs: readonly unknown[]) => runWorkers(server.url, task, inputs, database);
  const open = async (policy: object, sessions: (process: number) => readonly object[]) =>
    (
      await workers(
        "openSessions",
        [0, 1, 2].map((process) => ({ policy, sessions: sessions(process) })),
      )
    ).flat();
  const twenty = (make: (index: number) => object) => Array.from({ length: 20 }, (_, index) => make(index));
  const times = (outcomes: unknown[], outcome: number) => outcomes.filter((each) => each === outcome).length;
  const rowsOf = async (text: string) => (await server.admin.query<RowDataPacket[]>(text))[0];

  test(
    "fill the limit of sessions of the database exactly",
    async () => {
      await storage.repositories.sessions.open(newSession("before"), openPolicy);
      const outcomes = await open({ ...openPolicy, limit: 11 }, (process) =>
        twenty((index) => newSession(`all ${process} ${index}`)),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([10, 50]);
      expect(await storage.repositories.sessions.count()).toBe(11);
    },
    processTimeout,
  );

  test(
    "fill the limit of sessions of a user exactly",
    async () => {
      const outcomes = await open({ ...openPolicy, perUserLimit: 4 }, (process) =>
        twenty((index) => newSession(`user ${process} ${index}`, { userId: index % 2 === 0 ? "1" : "2" })),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([8, 52]);
    },
    processTimeout,
  );

  test(
    "leave a device as many sessions as it may have, with and without limits",
    async () => {
      for (const [limits, staying] of [
        [{}, 5],
        [{ limit: 2, perUserLimit: 3 }, 2],
      ] as const) {
        const outcomes = await open({ ...openPolicy, ...limits }, (process) =>
          twenty((index) => newSession(`${staying} of a device ${process} ${index}`, { deviceId: "phone" })),
        );
        expect(times(outcomes, 0)).toBe(60);
        expect(await storage.repositories.sessions.count()).toBe(staying);
      }
    },
    processTimeout,
  );

  test("leave no channel behind when sessions end, are swept or replaced", async () => {
    const { sessions } = storage.repositories;
    for (const name of ["ended", "of a device", "of a device, again", "swept"]) {
      await sessions.open(newSession(name, { mode: "secure", channel, deviceId: name.split(",")[0] ?? null }), {
        ...openPolicy,
        perDevice: 1,
      });
    }
    await sessions.end({ digest: digestOf("ended") });
    const channels = () => rowsOf(`select lower(hex(session)) as digest from ${database}.channels order by 1`);
    expect(await channels()).toEqual(
      [digestOf("of a device, again"), digestOf("swept")].toSorted().map((digest) => ({ digest })),
    );
    offset = openPolicy.absoluteLifetime;
    expect(await sessions.sweep(10)).toBe(2);
    expect(await channels()).toEqual([]);
  });

  test("refuse a digest that exists, instead of mixing sessions up", async () => {
    const { sessions } = storage.repositories;
    await sessions.open(newSession("twice"), openPolicy);
    for (const deviceId of [null, "phone"]) {
      expect(await codeOf(sessions.open(newSession("twice", { userId: "2", deviceId }), openPolicy))).toBe(799);
    }
    expect(await sessions.count()).toBe(1);
  });

  test(
    "never share a number of messages, and accept each once",
    async () => {
      const session = digestOf("numbers");
      await storage.repositories.sessions.open(newSession("numbers", { mode: "secure", channel }), openPolicy);
      const numbers = Array.from({ length: 60 }, (_, index) => (index * 13) % 60);
      const answers = (await workers(
        "numberMessages",
        [1, 2, 3].map(() => ({ session, reservations: 40, numbers })),
      )) as { firsts: string[]; fresh: number[] }[];
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
      const won = (await workers("claimBlocks", inputs)) as string[][][];
      const owners = new Map<string, number>();
      for (const [client, theirs] of won.entries()) {
        for (const each of theirs.flat()) expect(owners.set(each, owners.get(each) ?? client).get(each)).toBe(client);
      }
      expect(owners.size).toBeGreaterThan(0);
      expect(await rowsOf(`select hex(digest) from ${database}.cipher_blocks where uses = 0`)).toEqual([]);
    },
    processTimeout,
  );

  test(
    "let one attempt through when a delay is over, and count every failure",
    async () => {
      const policy = { freeFailures: 3, firstDelay: 60_000, longestDelay: 900_000, forgetAfter: 3_600_000 };
      const keys = ["user", "address"].map((key) => ({ key, policy }));
      offset = -policy.firstDelay;
      const { throttle } = storage.repositories;
      const delays = await Promise.all(
        Array.from({ length: policy.freeFailures }, (_, index) =>
          throttle.fail(index % 2 === 0 ? keys : keys.toReversed()),
        ),
      );
      expect(delays.toSorted((one, other) => one - other)).toEqual([0, 0, policy.firstDelay]);
      const inputs = Array.from({ length: 3 }, () => ({ keys, times: 20 }));
      const attempts = (await workers("attempt", inputs)).flat() as { wait: number; claimed: boolean }[];
      expect(attempts.filter(({ claimed }) => claimed)).toEqual([{ wait: 0, claimed: true }]);
      expect(attempts.filter(({ wait }) => wait > 0)).toHaveLength(59);
    },
    processTimeout,
  );
});
