import { randomUUID } from "node:crypto";
import {
  delayAfter,
  exemptionRenewal,
  isObjectId,
  maximumObjectBytes,
  objectIdOf,
  objectNumber,
  type Repositories,
  seesAll,
} from "@sallyport/storage";
import { KnexStorage } from "../src/index.ts";
import { channel, digestOf, newSession, openPolicy } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

describe("secure sessions of several processes", () => {
  let database: TestDatabase;
  let storage: KnexStorage;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
    storage = database.storage();
  }, startTimeout);
  afterAll(() => database.drop());

  const open = async (name: string, changes: object = {}) => {
    const session = newSession(name, { mode: "secure", channel, ...changes });
    await storage.repositories.sessions.open(session, openPolicy);
    return session.digest;
  };

  test("leave no channel behind when they are ended, swept or replaced", async () => {
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

  test("write rows without changing an indexed column", async () => {
    const { rows } = await database.admin.query(
      `select attname from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
      where indrelid = 'test.channels'::regclass`,
    );
    expect(rows).toEqual([{ attname: "session" }]);
  });
});

describe("throttling in SQL", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  let offset = 0;
  const policy = { maxFailures: 3, initialDelay: 60_000, maxDelay: 900_000, resetAfter: 3_600_000 };

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
    storage = database.storage({ clockOffset: () => offset });
  }, startTimeout);
  afterEach(() => {
    offset = 0;
  });
  afterAll(() => database.drop());

  test("computes the delays of the domain", async () => {
    const { throttle } = storage.repositories;
    for (const odd of [
      policy,
      { ...policy, maxFailures: 1, initialDelay: 1, maxDelay: 2 ** 40 },
      { ...policy, initialDelay: 0 },
    ]) {
      const keys = [{ key: `delays ${JSON.stringify(odd)}`, policy: odd }];
      for (let failures = 1; failures <= 40; failures += 1)
        expect(await throttle.fail(keys)).toBe(delayAfter(failures, odd));
    }
  });

  test("counts every one of many concurrent failures with any key order", async () => {
    const keys = ["x", "y", "z"].map((key) => ({ key, policy: { ...policy, maxFailures: 1_000 } }));
    const { throttle } = storage.repositories;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => throttle.fail(index % 2 === 0 ? keys : keys.toReversed())),
    );
    const { rows } = await database.admin.query(
      "select distinct failures from test.throttle where key in ('x', 'y', 'z')",
    );
    expect(rows).toEqual([{ failures: 60 }]);
  });

  test.each([
    ["a first", 0],
    ["a renewed", exemptionRenewal + 1_000],
  ])("does not wait for a transaction that grants %s exemption, too", async (_title, later) => {
    const exemption = { group: "office", member: "ada" };
    const pass = ({ throttle }: Repositories) =>
      throttle.pass([], [], { ...exemption, lifetime: 86_400_000, atMost: 10 });
    offset = later;
    await storage.transaction(async (first) => {
      await pass(first);
      await storage.transaction(pass);
    });
    const { rows } = await database.admin.query(
      "select round(extract(epoch from forget_at - delayed_at)) as lifetime, delayed_at > now() + $1 * interval '1 ms' as renewed from test.throttle where key like 'exempt:%'",
      [later - 60_000],
    );
    expect(rows).toEqual([{ lifetime: "86400", renewed: true }]);
  });

  test("removes forgotten failures", async () => {
    const { throttle } = storage.repositories;
    for (let index = 0; index < 30; index += 1)
      await throttle.fail([{ key: `passer-by ${index}`, policy: { ...policy, resetAfter: 1_000 } }]);
    offset = 2_000;
    for (let index = 0; index < 3; index += 1) await throttle.fail([{ key: "last", policy }]);
    const { rows } = await database.admin.query(
      "select count(*)::int as left from test.throttle where key like 'passer-by %'",
    );
    expect(rows).toEqual([{ left: 0 }]);
  });
});

describe("the number of an object ID in the database", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  const numbersOf = async (texts: readonly string[]): Promise<unknown[]> => {
    const { rows } = await database.admin.query(
      "select test.object_number(id)::float8 as number from unnest($1::text[]) with ordinality as t (id, place) order by place",
      [texts],
    );
    return rows.map(({ number }) => number);
  };

  test("equals that of the domain", async () => {
    const numbers = Array.from({ length: 36 ** 2 }, (_, index) => index + 1).concat(
      Array.from({ length: 10 }, (_, power) => [36 ** power, 36 ** power * 35, 36 ** (power + 1) - 1]).flat(),
    );
    expect(await numbersOf(numbers.map(objectIdOf))).toEqual(numbers);
  });

  test("is null for an invalid ID", async () => {
    const texts = [
      "",
      "0",
      "00A",
      "a1",
      "1a",
      "1-2",
      "1 ",
      " 1",
      "1\n",
      "12345678901",
      "Ä1",
      "1Ä",
      "1\u{1f600}",
      "1.5",
      "-1",
      "+1",
      "1e3",
      "Z".repeat(5_000),
    ];
    expect(texts.filter(isObjectId)).toEqual([]);
    expect(await numbersOf(texts)).toEqual(texts.map(() => null));
    expect(await numbersOf(["ZZZZZZZZZZ"])).toEqual([objectNumber("ZZZZZZZZZZ")]);
  });
});

describe("object counts", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, 60_000);
  afterAll(() => database.drop());

  const counted = () => database.storage().repositories.objects.count({ classes: ["File", "Image"] }, seesAll);
  const really = async () => {
    const { rows } = await database.admin.query("select count(*) from test.objects where class in ('File', 'Image')");
    return Number(rows[0].count);
  };
  const expectExact = async (count: number) => expect([await counted(), await really()]).toEqual([count, count]);
  const fill = (className: string, count: number, readers: string) =>
    database.admin.query(
      `insert into test.objects (uuid, class, attributes, stored_at, readers)
      select gen_random_uuid(), $1, '{}', now(), ${readers} from generate_series(1, $2::int)`,
      [className, count],
    );

  test("stay exact for every kind of write", async () => {
    await expectExact(0);
    await fill("File", 100, "null");
    await fill("Image", 10, "array[7]");
    await expectExact(110);
    await database.admin.query("update test.objects set readers = array[7] where class = 'File' and oid % 2 = 0");
    await expectExact(110);
    await database.admin.query("update test.objects set readers = null where class = 'Image'");
    await expectExact(110);
    await database.admin.query("delete from test.objects where class = 'File' and oid % 3 = 0");
    await expectExact(await really());
    await database.admin.query("delete from test.objects");
    await expectExact(0);
  });

  test("exclude rolled-back rows", async () => {
    const { repositories } = database.storage();
    await expect(
      database.storage().transaction(async (r) => {
        await r.objects.insert([{ className: "File", attributes: {} }]);
        expect(await r.objects.count({ classes: ["File"] }, seesAll)).toBe(1);
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await repositories.objects.count({ classes: ["File"] }, seesAll)).toBe(0);
  });

  test("stay exact for mixed insertions in one transaction", async () => {
    const file = { className: "File", attributes: {} };
    await database.storage().transaction(async (r, attempt) => {
      await r.objects.insert([file]);
      await r.objects.insert([file, file]);
      // Fails in the middle of the statement.
      await expect(
        attempt(() => r.objects.insert([{ ...file, attributes: { Name: "x".repeat(maximumObjectBytes) } }])),
      ).rejects.toMatchObject({ code: 801 });
      await r.objects.insert([file, file]);
      await r.objects.insert([{ ...file, readers: ["1"] }]);
    });
    await database.admin.query("select * from test.insert_object($1, null, '{}', null, 0)", [
      JSON.stringify({ uuid: randomUUID(), class: "File", attributes: {}, readers: null }),
    ]);
    await fill("File", 3, "null");
    await expectExact(10);
    await database.admin.query("delete from test.objects");
  });

  test("stay exact with concurrent writers", async () => {
    const { objects } = database.storage().repositories;
    const several = Array.from({ length: 5 }, () => ({ className: "Image", attributes: {} }));
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 4 === 3 ? fill("Image", 5, "null") : objects.insert(several))),
    );
    await expectExact(200);
  });
});

describe("admissions of concurrent requests", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  /** Calls the storage from independent places in one turn of the event loop. Also returns the connections made for it. */
  const runConcurrently = async (
    applicationName: string,
    times: number,
    ask: (storage: KnexStorage) => Promise<unknown>,
  ) => {
    const { knex } = database.connect({ url: database.directUrl, applicationName, pool: { max: 20 } });
    const storage = new KnexStorage({ knex, schema: "test" });
    // Checks for missing migrations first.
    await storage.health();
    const answers: Promise<unknown>[] = [];
    for (let time = 0; time < times; time += 1) {
      answers.push(ask(storage));
      await new Promise(process.nextTick);
    }
    const results = await Promise.all(answers);
    const { rows } = await database.admin.query(
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = $1",
      [applicationName],
    );
    return { results, connections: rows[0].count as number };
  };
  const admit = ({ repositories }: KnexStorage) =>
    repositories.admission.admit({ appKey: null, session: null, idleTimeout: 1_000 });

  test("are batched, and their batches share connections while they are quick", async () => {
    const { results, connections } = await runConcurrently("admissions", 17, admit);
    expect(results).toEqual(
      Array.from({ length: 17 }, () => expect.objectContaining({ appKey: null, maintenance: false })),
    );
    // One for each eight at most.
    expect(connections).toBeLessThanOrEqual(3);
  });

  test("do not delay longer calls", async () => {
    const { connections } = await runConcurrently("counts", 9, ({ repositories }) => repositories.sessions.count());
    expect(connections).toBe(9);
  });
});
